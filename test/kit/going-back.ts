/** What tests of going back and forth say and look at again and again. */

import { expect } from "bun:test"
import { textOf } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import type { TestSession } from "./open-test-session.ts"

/** Does something between turns, which must be taken, and waits for it. */
export async function act(t: TestSession, op: Op): Promise<void> {
  expect(await t.session.submit(op)).toEqual({ ok: true, value: undefined })
  await t.settled()
}

/** The user's side of the last request. */
export const lastSaid = (t: TestSession): string[] =>
  (t.requests().at(-1) ?? []).flatMap(({ role, content }) => (role === "user" ? [textOf(content as never)] : []))

/** Of the last prompt with these words. */
export const promptId = (t: TestSession, text: string): string => {
  const found = t.entries().findLast((entry) => entry.kind === "prompt" && textOf(entry.content) === text)
  return found?.kind === "prompt" ? found.promptId : ""
}
