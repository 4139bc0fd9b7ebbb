/** What the lead hears of its mail, and when: routine is folded, and waits until it says something new. */

import type { Attachment } from "#agent/words/kit.ts"
import type { Entry } from "#agent/words/entry.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { completionOf, isRoutine, type Mail, type Member } from "#agent/words/team.ts"
import { mailAttachment } from "./mail-words.ts"
import { asAttachments, mostAtOnce } from "./mail-reader.ts"
import { firstLine } from "./first-line.ts"

/** So many in a row are still told one by one. */
const mostUnfolded = 6
const mostOfReport = 300

export interface LeadMail {
  /** Whether any of it is worth a turn now. `isWaking`: somebody has unread mail and is about to work. */
  readonly wakes: (
    unread: readonly Mail[],
    members: readonly Member[],
    isWaking: () => Promise<boolean>,
  ) => Promise<boolean>
  readonly onEntry: (entry: Entry) => void
}

export function openLeadMail(lead: string): LeadMail {
  /** Those whose last task the lead knows to be completed, and whose report about it is still to come. */
  const completed = new Set<string>()
  return {
    async wakes(unread, members, isWaking) {
      if (!unread.every(isRoutine)) return true
      const working = new Set(
        members.flatMap(({ name, state }) => (name !== lead && state === "working" ? [name] : [])),
      )
      if (working.size === 0) return !(await isWaking())
      const finished = new Set([...completed, ...unread.flatMap((mail) => (completionOf(mail) ? [mail.from] : []))])
      // Whoever still works reports again; whoever did no task has nothing to say that cannot wait.
      return unread.some(({ from }) => !working.has(from) && finished.has(from))
    },
    onEntry(entry) {
      if (entry.kind !== "attachment") return
      const { from, type, completedBy } = entry.data ?? {}
      if (Array.isArray(completedBy)) for (const name of completedBy) completed.add(String(name))
      if (typeof from === "string" && type === "report") completed.delete(from)
    },
  }
}

/** Only what stands side by side is folded, so that the mail stays in order. */
export function leadAttachments(unread: readonly Mail[]): readonly Attachment[] {
  const runs: Mail[][] = []
  for (const mail of unread) {
    const last = runs.at(-1)
    if (last?.[0] && isRoutine(mail) === isRoutine(last[0])) last.push(mail)
    else runs.push([mail])
  }
  return runs.flatMap(attachmentsOf).slice(0, mostAtOnce)
}

function attachmentsOf(run: readonly Mail[]): readonly Attachment[] {
  if (!run.every(isRoutine)) return asAttachments(run)
  return run.length > mostUnfolded ? [folded(run)] : run.map(withCompletion)
}

function withCompletion(mail: Mail): Attachment {
  const attachment = mailAttachment(mail)
  return completionOf(mail) ? { ...attachment, data: { ...attachment.data, completedBy: [mail.from] } } : attachment
}

function folded(run: readonly Mail[]): Attachment {
  const done = run.flatMap((mail) => completionOf(mail) ?? []).map(({ id }) => Number(id))
  const reports = new Map(run.flatMap((mail) => (mail.type === "report" ? [[mail.from, mail.text] as const] : [])))
  const lines = [
    ...(done.length === 0 ? [] : [`${done.length} tasks completed: ${ranges(done)}. TaskGet shows what was done.`]),
    ...(reports.size === 0 ? [] : ["The last report of each member:"]),
    ...[...reports].map(([from, text]) => `${from}: ${firstLine(text, mostOfReport)}`),
  ]
  const seq = run.at(-1)?.seq ?? 0
  return {
    name: "task_notification",
    text: `<task-notification seq="${seq}">\n${escapeImitations(lines.join("\n"))}\n</task-notification>`,
    data: {
      mailTo: seq,
      type: "task_notification",
      shown: lines[0] ?? "",
      completedBy: [...new Set(run.flatMap((mail) => (completionOf(mail) ? [mail.from] : [])))],
    },
  }
}

/** `#1 to #8, #10`. */
function ranges(ids: readonly number[]): string {
  const parts: [number, number][] = []
  for (const id of ids.toSorted((a, b) => a - b)) {
    const last = parts.at(-1)
    if (last && id <= last[1] + 1) last[1] = id
    else parts.push([id, id])
  }
  return parts.map(([from, to]) => (from === to ? `#${from}` : `#${from} to #${to}`)).join(", ")
}
