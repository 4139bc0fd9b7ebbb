/** What the model is told rather than left to guess: that it coordinates now, how far its agents are, what the guides say. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import { builtinAgents } from "#kits/subagents/builtins.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"
import { cast, task } from "./cast.ts"

setDefaultTimeout(300_000)

const told = (t: TestSession, name: string): readonly (Entry & { readonly kind: "attachment" })[] =>
  t.entries().flatMap((entry) => (entry.kind === "attachment" && entry.name === name ? [entry] : []))

test("delegate mode is told once when it begins, once when it ends, and again in a new conversation", async () => {
  const counts = (t: TestSession): readonly number[] =>
    ["delegate_mode", "delegate_mode_exit"].map((name) => told(t, name).length)
  await using t = await openTestSession({ script: () => says("Understood, and noted for the work that follows.") })
  await t.prompt("hello")
  expect(counts(t)).toEqual([0, 0])
  await t.session.submit({ type: "set_mode", mode: "delegate" })
  await t.prompt("split the work")
  await t.prompt("and go on")
  expect(counts(t)).toEqual([1, 0])
  expect(JSON.stringify(t.requests().at(-1))).toContain("The user turned delegate mode on")
  await using again = await t.reopen()
  await again.prompt("still there?")
  expect(counts(again)).toEqual([1, 0])
  await again.session.submit({ type: "set_mode", mode: "default" })
  await again.prompt("now do it yourself")
  await again.prompt("go on")
  expect(counts(again)).toEqual([1, 1])
  await again.session.submit({ type: "clear" })
  await again.session.submit({ type: "set_mode", mode: "delegate" })
  await again.prompt("a new conversation")
  expect(counts(again)).toEqual([2, 1])
})

test("an agent in the background is reported on now and then, while it gets on", async () => {
  const step = (n: number) => calls(bash(`while [ ! -e step-${n} ]; do sleep 0.02; done`))
  await using t = await openTestSession({
    script: cast({
      main: [
        calls(task("alpha", { run_in_background: true })),
        ...Array.from({ length: 14 }, (_, n) => calls(bash(`touch step-${n}; sleep 0.05`))),
        calls(bash("touch end; sleep 0.2")),
        says("Done."),
        says("Done."),
      ],
      alpha: [
        ...Array.from({ length: 14 }, (_, n) => step(n)),
        calls(bash("while [ ! -e end ]; do sleep 0.02; done")),
        says("Found."),
      ],
    }),
  })
  await t.prompt("go")
  const reports = told(t, "agent_progress")
  expect(reports.length).toBeGreaterThanOrEqual(1)
  expect(reports.length).toBeLessThanOrEqual(3)
  expect(reports[0]?.text).toContain("(the alpha work) is at work: ")
})

test("an agent that nobody waits for is not reported on when it stands still", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [
        calls(task("alpha", { run_in_background: true })),
        ...Array.from({ length: 8 }, (_, n) => calls(bash(`echo ${n}`))),
        calls(bash("touch end; sleep 0.2")),
        says("Done."),
        says("Done."),
      ],
      alpha: [calls(bash("while [ ! -e end ]; do sleep 0.02; done")), says("Found.")],
    }),
  })
  await t.prompt("go")
  expect(told(t, "agent_progress").length).toBeLessThanOrEqual(1)
})

test("a session that plays the guide reads the guides", async () => {
  const guide = builtinAgents().find(({ agentType }) => agentType === "guide")
  if (!guide) throw new Error("there is no guide")
  await using t = await openTestSession({
    allow: [],
    script: [calls(use("Docs", { page: "undo" })), says("Use /rewind.")],
    playing: guide,
  })
  await t.prompt("how do I undo?")
  expect(t.results().map(({ tool, isError }) => [tool, isError])).toEqual([["Docs", false]])
})
