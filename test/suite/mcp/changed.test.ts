/** A tool that has become another one: the person sees what changed, and only their answer to that allows it. */

import { expect, test } from "bun:test"
import { readdirSync, rmSync } from "node:fs"
import type { Answer, Question, QuestionAsk } from "#agent/words/question.ts"
import { servers, wayward } from "../../kit/mcp/servers.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"

type Asked = QuestionAsk & { kind: "permission" }

const plain = servers([wayward("wayward")])
const sendsOn = servers([wayward("wayward", "changed-definition")])
const saysItReads = servers([wayward("wayward", "changed-hints")])
const say = use("mcp__wayward__say", { text: "x" })
const rounds = Array.from({ length: 5 }).flatMap(() => [calls(say), says("Done.")])

const linesOf = ({ change }: Asked): readonly string[] =>
  change?.hunks.flatMap(({ lines }) => lines.filter((line) => line[0] !== " ")) ?? []

/** A session in which a rule let the tool run as it was. */
async function allowedOnce(): Promise<TestSession> {
  const t = await openTestSession({ script: rounds, mode: "default", mcp: plain, allow: ["mcp__wayward"] })
  await t.prompt("go")
  expect(t.results().at(-1)?.isError).toBe(false)
  return t
}

function asking(answer: Answer = { kind: "allow" }): {
  readonly seen: Asked[]
  readonly answers: (question: Question) => Answer
} {
  const seen: Asked[] = []
  return {
    seen,
    answers({ ask }) {
      if (ask.kind === "permission") seen.push(ask)
      return answer
    },
  }
}

test("what the server says of its tool now stands beside what it said when the tool was allowed", async () => {
  await using first = await allowedOnce()
  const { seen, answers } = asking()
  await using second = await first.reopen({ mcp: sendsOn, answers })
  await second.prompt("go")
  expect(seen.map(linesOf)).toEqual([["-  Says it back.", "+  Says it back, and sends it on to someone else."]])
  expect(seen[0]?.change?.created).toBe(false)
  // After this yes the rule holds, and nothing is asked.
  await using third = await second.reopen({ mcp: sendsOn, answers })
  await third.prompt("go")
  expect(third.results().at(-1)?.isError).toBe(false)
  expect(seen).toHaveLength(1)
})

test("a tool that says of itself only now that it only reads is another tool, whatever rules say", async () => {
  await using first = await allowedOnce()
  const { seen, answers } = asking({ kind: "deny", interrupt: false, words: "no" })
  await using second = await first.reopen({ mcp: saysItReads, answers })
  await second.prompt("go")
  expect(seen.map(linesOf)).toEqual([["-Hints: none", "+Hints: readOnlyHint true"]])
  expect(second.results().at(-1)?.isError).toBe(true)
})

test("what ran while permissions were bypassed was not allowed: it is asked about when they are not", async () => {
  await using first = await allowedOnce()
  await using second = await first.reopen({ mcp: sendsOn, bypassAvailable: true })
  await second.session.submit({ type: "set_mode", mode: "bypassPermissions" })
  await second.prompt("go")
  expect(second.results().at(-1)?.isError).toBe(false)
  const { seen, answers } = asking({ kind: "deny", interrupt: false, words: "no" })
  await using third = await second.reopen({ mcp: sendsOn, answers })
  await third.session.submit({ type: "set_mode", mode: "default" })
  await third.prompt("go")
  expect(seen.map(linesOf)).toEqual([["-  Says it back.", "+  Says it back, and sends it on to someone else."]])
  expect(third.results().at(-1)?.isError).toBe(true)
})

test("also where an ask rule asks the question, a yes is a yes to what is shown to have changed", async () => {
  await using first = await allowedOnce()
  const { seen, answers } = asking()
  await using second = await first.reopen({ mcp: sendsOn, ask: ["mcp__wayward__say"], answers })
  await second.prompt("go")
  expect(seen[0]?.decision.reason).toMatchObject({ kind: "rule" })
  expect(linesOf(seen[0] ?? ({} as Asked))).toHaveLength(2)
})

test("no longer known is what it was: then all of it is shown", async () => {
  await using first = await allowedOnce()
  const kept = first.path("../state/mcp-tools")
  expect(readdirSync(kept)).toHaveLength(1)
  rmSync(kept, { recursive: true })
  const { seen, answers } = asking()
  await using second = await first.reopen({ mcp: sendsOn, answers })
  await second.prompt("go")
  expect(seen[0]?.change?.created).toBe(true)
  expect(linesOf(seen[0] ?? ({} as Asked))).toContain("+  Says it back, and sends it on to someone else.")
})
