/** The mail of one session: fetched when something changes, and read once it is in the session's own log. */

import type { Entry } from "#agent/words/entry.ts"
import type { Attachment } from "#agent/words/kit.ts"
import type { Mail, Mailboxes } from "#agent/words/team.ts"
import { foldedAttachment, mailAttachment } from "./mail-words.ts"

/** More at once would bury the rest; the others follow with the next step. */
export const mostAtOnce = 20

export interface MailReader {
  /** The number of the last message in the log. */
  readonly cursor: () => number
  /** Looks what is unread now. */
  readonly fetch: () => Promise<readonly Mail[]>
  /** What was unread at the last look and is not in the log yet. */
  readonly unread: () => readonly Mail[]
  readonly onEntry: (entry: Entry) => void
}

/** So many plain messages of one sender in a row come each for itself; more come as one. */
const mostUnfolded = 5

export const asAttachments = (mail: readonly Mail[]): readonly Attachment[] => {
  const runs: Mail[][] = []
  for (const each of mail) {
    const before = runs.at(-1)?.at(-1)
    if (before && isPlain(before) && isPlain(each) && before.from === each.from) runs.at(-1)?.push(each)
    else runs.push([each])
  }
  return runs
    .flatMap((run) => (run.length > mostUnfolded ? [foldedAttachment(run)] : run.map(mailAttachment)))
    .slice(0, mostAtOnce)
}

const isPlain = ({ type, answers, meantFor, note }: Mail): boolean =>
  type === "message" && answers === undefined && meantFor === undefined && note === undefined

export function openMailReader(parts: {
  readonly name: string
  readonly mail: Pick<Mailboxes, "after" | "delivered">
  readonly cursor: number
  readonly onFailure: (error: unknown) => void
}): MailReader {
  const { name, mail } = parts
  let { cursor } = parts
  let known: readonly Mail[] = []
  let isTelling = false

  const unread = (): readonly Mail[] => known.filter(({ seq }) => seq > cursor)

  /** Once for all that a step brought. */
  function tellDelivered(): void {
    if (isTelling) return
    isTelling = true
    void Promise.resolve()
      .then(() => {
        isTelling = false
        return mail.delivered(name, cursor)
      })
      .catch(parts.onFailure)
  }

  return {
    cursor: () => cursor,
    unread,
    async fetch() {
      known = await mail.after(name, cursor)
      return unread()
    },
    onEntry(entry) {
      const to = entry.kind === "attachment" ? entry.data?.mailTo : undefined
      if (typeof to !== "number" || to <= cursor) return
      cursor = to
      tellDelivered()
    },
  }
}
