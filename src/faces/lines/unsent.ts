/** Prompts that were queued and are not sent: named, so that they can be given again. */

import type { Event } from "#agent/words/event.ts"
import { textOf } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import { forConsent } from "#lib/printable.ts"

const by = "lines"

export const interruptInLines: Op = { type: "interrupt", withdraw: by }
export const withdrawInLines: Op = { type: "withdraw", what: "all", by }
export const withdrawLastInLines: Op = { type: "withdraw", what: "last", by }

/** For prompts that this face took back. */
export function unsentLines(event: Event): readonly string[] {
  if (event.type !== "entry" || event.entry.kind !== "withdrawn" || event.entry.by !== by) return []
  return event.entry.prompts.map(
    ({ content, as }) =>
      `Not sent, type it again if you still want it: ${as === "shell" ? "! " : ""}${forConsent(textOf(content))}`,
  )
}
