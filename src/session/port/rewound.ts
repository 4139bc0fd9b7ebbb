/** Does something between turns and waits for what came of it. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { Op } from "#agent/words/op.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { opFailureWords } from "./op-failure-words.ts"
import type { Session } from "./session.ts"

type ChorePort = Pick<Session, "events" | "submit">

/** Fails with words for the user; then nothing was changed. */
export async function rewound(session: ChorePort, op: Op & { readonly type: "rewind" }): Promise<Result<void, string>> {
  const done = await endOf(session, op, "head")
  return done.ok ? ok(undefined) : done
}

/** What was kept, undone or restored. Fails with words for the user; then nothing was changed. */
export async function reviewed(
  session: ChorePort,
  op: Op & { readonly type: "review" },
): Promise<Result<Entry & { readonly kind: "review" }, string>> {
  const done = await endOf(session, op, "review")
  if (!done.ok) return done
  return done.value.kind === "review" ? ok(done.value) : failed("The session was closed meanwhile.")
}

async function endOf(session: ChorePort, op: Op, kind: Entry["kind"]): Promise<Result<Entry, string>> {
  const seen = session.events("now")[Symbol.asyncIterator]()
  const begun = await session.submit(op)
  const end = begun.ok ? await entryOf(seen, kind) : undefined
  await seen.return?.()
  if (!begun.ok) return failed(opFailureWords(begun.failure))
  if (end?.kind === kind) return ok(end)
  return failed(end?.kind === "notice" ? end.text : "The session was closed meanwhile.")
}

/** A chore that fails leaves a notice, and nothing else; an info notice may come while it runs. */
async function entryOf(events: AsyncIterator<Event>, kind: Entry["kind"]): Promise<Entry | undefined> {
  let last: Entry | undefined
  for (;;) {
    const { done, value } = await events.next()
    if (done || (value.type === "chore" && !value.running)) return last
    if (value.type !== "entry") continue
    const { entry } = value
    if (entry.kind === kind || (entry.kind === "notice" && entry.level !== "info")) last ??= entry
  }
}
