/** Tells the lead, once, that tasks are open and nobody works on them: a team must not end in silence with work undone. See decision 111. */

import type { Attachment } from "#agent/words/kit.ts"
import type { Entry } from "#agent/words/entry.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { isOpen, type Member, type TeamStore, type TeamTask } from "#agent/words/team.ts"

const reminderName = "team_open_tasks"
const mostNamed = 20

export interface Reminder {
  /** To be called between turns of the lead. */
  readonly check: () => Promise<void>
  readonly pending: () => readonly Attachment[]
  readonly onEntry: (entry: Entry) => void
}

export function openReminder(parts: {
  readonly store: Pick<TeamStore, "board" | "mail" | "roster">
  readonly lead: string
  /** With a user there, a lead may wait for an answer: its own tasks, and those of a team without members, are its business. */
  readonly canAsk: boolean
}): Reminder {
  const { store, lead, canAsk } = parts
  let isReminded = false
  let pending: Attachment | undefined

  async function forgotten(): Promise<Attachment | undefined> {
    const members = (await store.roster.members()).filter(({ name }) => name !== lead)
    if (members.some(({ state }) => state === "working")) {
      isReminded = false
      return undefined
    }
    if (isReminded || (canAsk && members.length === 0)) return undefined
    const tasks = (await store.board.list()).filter(isOpen)
    const open = canAsk ? tasks.filter(({ owner }) => owner !== lead) : tasks
    if (open.length === 0) return undefined
    return (await isSomebodyWaking(store)) ? undefined : reminderOf(open, members, lead)
  }

  return {
    async check() {
      pending = await forgotten()
    },
    pending: () => (pending ? [pending] : []),
    onEntry(entry) {
      if (entry.kind !== "attachment" || entry.name !== reminderName) return
      isReminded = true
      pending = undefined
    },
  }
}

/** Whoever has unread mail is about to work. */
export async function isSomebodyWaking({ roster, mail }: Pick<TeamStore, "mail" | "roster">): Promise<boolean> {
  const [{ lead }, members, all] = await Promise.all([roster.about(), roster.members(), mail.all()])
  const present = new Set(
    members.filter(({ name, state }) => name !== lead && state !== "gone").map(({ name }) => name),
  )
  return all.some(({ to, deliveredAt }) => deliveredAt === undefined && present.has(to))
}

function reminderOf(open: readonly TeamTask[], members: readonly Member[], lead: string): Attachment {
  const ids = new Set(open.map(({ id }) => id))
  const lines = open
    .slice(0, mostNamed)
    .map((task) => `#${task.id} ${task.subject}${whyOpen(task, ids, members, lead)}`)
  const more = open.length > mostNamed ? [`and ${open.length - mostNamed} more; TaskList shows all`] : []
  const one = open.length === 1
  const head = `${one ? "1 task is" : `${open.length} tasks are`} open, and nobody works on ${one ? "it" : "them"}`
  return {
    name: reminderName,
    text: escapeImitations(
      [
        `${head}:`,
        ...lines,
        ...more,
        "Nobody takes them by themselves. Start a member, change the owner, do them yourself, or delete what is no longer needed. Otherwise tell the user what is left undone and why.",
      ].join("\n"),
    ),
    data: { open: open.length, shown: `${head}.` },
  }
}

function whyOpen(
  { owner, blockedBy }: TeamTask,
  open: ReadonlySet<string>,
  members: readonly Member[],
  lead: string,
): string {
  const waits = blockedBy.filter((id) => open.has(id))
  if (waits.length > 0) return ` (waits for ${waits.map((id) => `#${id}`).join(", ")})`
  if (owner === undefined) return ""
  if (owner === lead) return " (yours)"
  const state = members.find(({ name }) => name === owner)?.state
  if (state === undefined) return ` (for ${owner}, who is not in the team)`
  return state === "gone" ? ` (for ${owner}, who has left)` : ` (${owner}'s)`
}
