/** What the lead has to hear: its mail, with evidence for what was completed, and that work is left undone. */

import type { Entry } from "#agent/words/entry.ts"
import type { Attachment } from "#agent/words/kit.ts"
import type { TeamStore } from "#agent/words/team.ts"
import { openEvidence } from "./evidence.ts"
import { leadAttachments, openLeadMail } from "./lead-mail.ts"
import { openMailReader } from "./mail-reader.ts"
import { isSomebodyWaking, openReminder } from "./reminder.ts"

export interface LeadInbox {
  /** The number of the last message in the log. */
  readonly cursor: () => number
  /** Looks what there is now. */
  readonly checkMail: () => Promise<void>
  /** All mail, at a step. */
  readonly attachments: () => Promise<readonly Attachment[]>
  /** What is worth a turn, as of the last look. */
  readonly news: () => readonly Attachment[]
  readonly isReminding: () => boolean
  readonly onEntry: (entry: Entry) => void
}

export function openLeadInbox(parts: {
  readonly store: TeamStore
  readonly lead: string
  readonly cursor: number
  readonly canAsk: boolean
  readonly onFailure: (error: unknown) => void
}): LeadInbox {
  const { store, lead } = parts
  const box = openMailReader({ ...parts, name: lead, mail: store.mail })
  const mail = openLeadMail(lead)
  const reminder = openReminder(parts)
  const evidence = openEvidence(store.board)
  let isQuiet = true
  /** Until a turn ends here: a lead that is resumed says nothing before it is spoken to. */
  let isTurnOpen = true
  return {
    cursor: box.cursor,
    async checkMail() {
      const unread = await box.fetch()
      await evidence.read(unread)
      const wakes = async (): Promise<boolean> =>
        mail.wakes(unread, await store.roster.members(), () => isSomebodyWaking(store))
      isQuiet = unread.length === 0 || !(await wakes())
      if (unread.length === 0 && !isTurnOpen) await reminder.check()
    },
    async attachments() {
      const unread = await box.fetch()
      await evidence.read(unread)
      return leadAttachments(evidence.noted(unread))
    },
    news: () => [...(isQuiet ? [] : leadAttachments(evidence.noted(box.unread()))), ...reminder.pending()],
    isReminding: () => reminder.pending().length > 0,
    onEntry(entry) {
      box.onEntry(entry)
      mail.onEntry(entry)
      reminder.onEntry(entry)
      if (entry.kind === "turn_start" || entry.kind === "turn_end") isTurnOpen = entry.kind === "turn_start"
    },
  }
}
