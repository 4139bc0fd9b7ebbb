/** An answer is bound to exactly what was shown: whatever of it differs makes another digest. */

import { expect, test } from "bun:test"
import { touchesNothing } from "#agent/words/footprint.ts"
import { type QuestionAsk, questionOf } from "#agent/words/question.ts"
import { hunksOf } from "#lib/diff.ts"

const ask: QuestionAsk & { kind: "permission" } = {
  kind: "permission",
  callId: "c",
  tool: "mcp__box__say",
  title: "box: say",
  input: { text: "x" },
  footprint: touchesNothing(),
  decision: { behavior: "ask", reason: { kind: "default" }, message: "It would reach box.", trace: [] },
}
const digestOf = (more: Partial<typeof ask>): string => questionOf("q", { ...ask, ...more }).digest

test("a tool that changed is another question than one that did not, and so is every further change", async () => {
  const change = async (now: string) => ({ path: ask.tool, hunks: await hunksOf("Hints: none\n", now), created: false })
  const digests = [
    digestOf({}),
    digestOf({ change: await change("Hints: readOnlyHint true\n") }),
    digestOf({ change: await change("Hints: readOnlyHint false\n") }),
    digestOf({ input: { text: "y" } }),
    digestOf({ risks: ["It may destroy something."] }),
  ]
  expect(new Set(digests).size).toBe(digests.length)
})

test("why it is asked may be said otherwise, and it is the same question", () => {
  const decision = { ...ask.decision, message: "Said otherwise." }
  expect(digestOf({ decision })).toBe(digestOf({}))
})
