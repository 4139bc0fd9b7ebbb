/** Rewinds a session and waits for what came of it. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { opFailureWords } from "./op-failure-words.ts"
import type { Session } from "./session.ts"

/** Fails with words for the user; then nothing was changed. */
export async function rewound(
  session: Pick<Session, "events" | "submit">,
  op: Op & { readonly type: "rewind" },
): Promise<Result<void, string>> {
  const seen = session.events("now")[Symbol.asyncIterator]()
  const begun = await session.submit(op)
  const end = begun.ok ? await endOf(seen) : undefined
  await seen.return?.()
  if (!begun.ok) return failed(opFailureWords(begun.failure))
  if (end?.kind === "head") return ok(undefined)
  return failed(end?.kind === "notice" ? end.text : "The session was closed meanwhile.")
}

/** A chore that fails leaves a notice, and nothing else. */
async function endOf(events: AsyncIterator<Event>): Promise<Entry | undefined> {
  let last: Entry | undefined
  for (;;) {
    const { done, value } = await events.next()
    if (done || (value.type === "chore" && !value.running)) return last
    if (value.type === "entry" && (value.entry.kind === "head" || value.entry.kind === "notice")) last ??= value.entry
  }
}
