/** Stories about the loop, told over each wire format of the table: a new row runs them without further work. */

import { describe, expect, setDefaultTimeout } from "bun:test"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { throughAcp } from "../../kit/acp/through.ts"
import { type WireFormat, wireFormats } from "../../kit/wire-formats.ts"

export type Start = (options: Omit<TestSessionOptions, "format">) => Promise<TestSession>

export function overEach(subject: string, stories: (start: Start, format: WireFormat) => void): void {
  setDefaultTimeout(30_000)
  for (const format of Object.values<WireFormat>(wireFormats))
    describe(`${subject} over ${format.name}`, () =>
      stories(async (options) => checked(await openTestSession({ ...options, format })), format))
  // The same once more by another door: an editor sends the prompts and hears what comes of them.
  const { messages } = wireFormats
  describe(`${subject} in an editor`, () =>
    stories(
      async (options) => checked(await throughAcp(await openTestSession({ ...options, format: messages }))),
      messages,
    ))
}

/** Whatever a story is about, the strict simulator refused nothing. */
const checked = (session: TestSession): TestSession => ({
  ...session,
  reopen: async (changes) => checked(await session.reopen(changes)),
  async [Symbol.asyncDispose]() {
    const refused = session.simulator.requests.filter(({ answered }) => answered.kind === "refusal")
    await session[Symbol.asyncDispose]()
    expect(refused.map(({ answered }) => answered)).toEqual([])
  },
})
