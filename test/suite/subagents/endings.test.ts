/** However an agent ends, whoever started it is told clearly, and nothing of it goes on. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { SimRequest } from "#sim/request.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { isRunning } from "../../kit/is-running.ts"
import { bash, calls, read, says } from "../../kit/script.ts"
import { cast, children, logOf, resultsOf, task } from "./cast.ts"

setDefaultTimeout(300_000)

const worker: AgentDefinition = {
  agentType: "worker",
  whenToUse: "For work.",
  systemPrompt: "You work.",
  source: "project",
}

test("an agent whose provider refuses ends with an error that says why", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [calls(task("alpha")), says("I see.")],
      alpha: [{ fault: "invalid_request" } as never],
    }),
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(resultsOf(t, "Task")[0]).toStartWith("The general-purpose agent ended with an error.")
  expect(children(t).at(-1)).toMatchObject({ state: "ended", end: "failed" })
})

test("an agent that used up its steps says what it said last", async () => {
  await using t = await openTestSession({
    agents: [{ ...worker, maxTurns: 2 }],
    files: { "a.txt": "a\n" },
    script: cast({
      main: [calls(task("alpha", { subagent_type: "worker" })), says("I see.")],
      alpha: [calls(read("a.txt")), calls("Still looking.", read("a.txt")), says("never said")],
    }),
  })
  await t.prompt("go")
  const [result] = resultsOf(t, "Task")
  expect(result).toStartWith("The worker agent used up its steps before it was done. Stopped after 2 steps")
  expect(result).toContain("What it said last:\nStill looking.")
  expect(children(t).at(-1)).toMatchObject({ end: "failed" })
})

test("an agent without an answer is no success", async () => {
  await using t = await openTestSession({
    script: cast({ main: [calls(task("alpha")), says("I see.")], alpha: [{ content: [] }] }),
  })
  await t.prompt("go")
  expect(resultsOf(t, "Task")[0]).toStartWith("The general-purpose agent ended without an answer.")
  expect(t.results().at(-1)?.isError).toBe(true)
})

/** An answer as long as the request allows, or as this. */
const long =
  (most: number) =>
  ({ maxTokens }: SimRequest): ScenarioReply => ({
    ...calls(bash("true")),
    usage: { input_tokens: 1_000, output_tokens: Math.min(maxTokens, most) },
  })

test("one budget holds for all: an agent cannot spend what is not there", async () => {
  await using t = await openTestSession({
    limits: { maxBudgetUsd: 0.85 },
    script: cast({
      main: [calls(task("alpha")), says("I see.")],
      alpha: [...Array.from({ length: 6 }, () => long(60_000)), says("never said")],
    }),
  })
  await t.prompt("go")
  const [result] = resultsOf(t, "Task")
  expect(result).toStartWith("The general-purpose agent was ended because of the budget. The budget does not cover")
  expect(result).toContain("general-purpose ")
  const { costUsd } = await t.ask({ type: "state" })
  expect(costUsd).toBeGreaterThan(0.5)
  expect(costUsd).toBeLessThanOrEqual(0.85)
})

test("what an agent costs is a fact of the session that started it, also after a resume", async () => {
  const t = await openTestSession({
    script: cast({
      main: [calls(task("alpha")), says("Done."), says("Still here.")],
      alpha: [{ ...says("found"), usage: { input_tokens: 1_000_000, output_tokens: 10 } }],
    }),
  })
  await t.prompt("go")
  const before = await t.ask({ type: "state" })
  const own = (await logOf(t, "alpha")).find((entry) => entry.kind === "reply_end")
  expect(own?.costUsd).toBeGreaterThan(1)
  expect(before.costUsd).toBeGreaterThan(own?.costUsd ?? 0)
  await using again = await t.reopen()
  expect((await again.ask({ type: "state" })).costUsd).toBe(before.costUsd)
  await t[Symbol.asyncDispose]()
})

test("an interrupt ends the agents and every process of theirs", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [calls(task("alpha"), task("beta")), says("never said")],
      alpha: [calls(bash("echo $$ > a.pid; sleep 86391"))],
      beta: [calls(bash("echo $$ > b.pid; sleep 86391"))],
    }),
  })
  t.say("go")
  for (const name of ["a.pid", "b.pid"])
    while (!(await Bun.file(t.path(name)).exists()) || t.read(name).trim() === "") await Bun.sleep(10)
  void t.session.submit({ type: "interrupt" })
  await t.settled()
  for (const name of ["a.pid", "b.pid"]) expect(isRunning(Number(t.read(name)))).toBe(false)
  expect(children(t).filter(({ end }) => end === "stopped")).toHaveLength(2)
  expect(resultsOf(t, "Task")[0]).toStartWith("The general-purpose agent was stopped before it was done.")
  expect(t.entries().findLast(({ kind }) => kind === "turn_end")).toMatchObject({ reason: "aborted" })
})

test("an agent is stopped and steered alone", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [calls(task("alpha"), task("beta")), says("Done.")],
      alpha: [calls(bash("touch a.on; sleep 86392"))],
      beta: [calls(bash("touch b.on; while [ ! -e go ]; do sleep 0.02; done")), says("I heard you.")],
    }),
  })
  t.say("go")
  for (const name of ["a.on", "b.on"]) while (!(await Bun.file(t.path(name)).exists())) await Bun.sleep(10)
  const [alpha, beta] = (await t.ask({ type: "agents" })).map(({ fact }) => fact)
  expect((await t.ask({ type: "agents" })).map(({ doing }) => doing?.startsWith("Bash"))).toEqual([true, true])
  const content = [{ type: "text", text: "Take the blue one." }] as const
  expect((await t.session.submit({ type: "steer_agent", agentId: beta?.agentId ?? "", content })).ok).toBe(true)
  expect((await t.session.submit({ type: "stop_agent", agentId: alpha?.agentId ?? "" })).ok).toBe(true)
  expect(await t.session.submit({ type: "stop_agent", agentId: "nobody" })).toEqual({
    ok: false,
    failure: { kind: "no_such_agent", agentId: "nobody" },
  })
  await t.until((event) => event.type === "entry" && event.entry.kind === "child" && event.entry.end === "stopped")
  await Bun.write(t.path("go"), "")
  await t.settled()
  const [first, second] = resultsOf(t, "Task")
  expect(first).toStartWith("The general-purpose agent was stopped before it was done.")
  expect(second).toStartWith("I heard you.")
  expect(JSON.stringify(await logOf(t, "beta"))).toContain("Take the blue one.")
  expect((await t.session.submit({ type: "steer_agent", agentId: beta?.agentId ?? "", content })).ok).toBe(false)
})

test("many at once never spend more than the budget", async () => {
  const words = ["alpha", "beta", "gamma", "delta", "epsilon"]
  const greedy = long(20_000)
  const roles = Object.fromEntries(words.map((word) => [word, [greedy, greedy, greedy, says("done")]]))
  await using t = await openTestSession({
    limits: { maxBudgetUsd: 1.5 },
    script: cast({ main: [calls(...words.map((word) => task(word))), says("Done.")], ...roles }),
  })
  await t.prompt("go")
  const { costUsd } = await t.ask({ type: "state" })
  expect(costUsd).toBeGreaterThan(0.5)
  expect(costUsd).toBeLessThanOrEqual(1.5)
  const ended = children(t).filter(({ state }) => state === "ended")
  const logs = await Promise.all(ended.map(({ agentId }) => t.ask({ type: "agent", agentId })))
  const spent = logs.flatMap((entries) => entries ?? [])
  const own = [...spent, ...t.entries()].reduce(
    (sum, entry) => sum + (entry.kind === "reply_end" ? (entry.costUsd ?? 0) : 0),
    0,
  )
  expect(own).toBeCloseTo(costUsd, 8)
})
