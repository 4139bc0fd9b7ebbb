/** A question of an agent outlives the program: the agent waits again, under the same question, and its call runs once. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import type { Answer } from "#agent/words/question.ts"
import { isEntry, openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, read, says, use } from "../../kit/script.ts"
import { inputs, keepsInput, on } from "../hooks/hooks.ts"
import { cast, children, requestsOf, resultsOf, task } from "./cast.ts"

setDefaultTimeout(300_000)

const allow: Answer = { kind: "allow" }
const asked = (t: TestSession): Promise<unknown> => t.until(({ type }) => type === "question_open")
const questions = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "question" ? [entry.question.id] : []))
const append = bash("echo x >> count.txt")

/** Leaves the session in good order, or with the logs of a program that was killed. */
async function left(t: TestSession, how: "closed" | "killed"): Promise<void> {
  const folder = dirname(t.logPath)
  const readAll = (): readonly (readonly [path: string, bytes: Buffer])[] =>
    [...new Bun.Glob("**/*.jsonl").scanSync({ cwd: folder, absolute: true })].map((path) => [path, readFileSync(path)])
  let logs = readAll()
  // A question may be asked while its answer still streams; a half-streamed one is not carried out after a crash.
  while (!logs.every(([, bytes]) => bytes.lastIndexOf('"reply_end"') > bytes.lastIndexOf('"type":"tool_use"'))) {
    await Bun.sleep(5)
    logs = readAll()
  }
  await t.session.close()
  if (how === "killed") for (const [path, bytes] of logs) writeFileSync(path, bytes)
}

const begin = (options: Partial<TestSessionOptions> & Pick<TestSessionOptions, "script">): Promise<TestSession> =>
  openTestSession({ files: { "a.txt": "blue\n" }, mode: "default", allow: [], answers: () => undefined, ...options })

for (const how of ["closed", "killed"] as const)
  test(`an agent that someone waits for, ${how}`, async () => {
    const hooks = {
      PreToolUse: [on(keepsInput("pre"))],
      SubagentStart: [on(keepsInput("start"))],
      SubagentStop: [on(keepsInput("stop"))],
    }
    const script = cast({
      main: [calls(task("alpha")), says("Main is done.")],
      alpha: [calls(read("a.txt")), calls(append), says("It is blue.")],
    })
    await using t = await begin({ script, hooks })
    t.say("go")
    await asked(t)
    const [id] = questions(t)
    await left(t, how)
    await using second = await t.reopen()
    await asked(second)
    expect(await second.ask({ type: "questions" })).toMatchObject([{ id, agent: { type: "general-purpose" } }])
    await left(second, how)
    await using third = await second.reopen({ answers: () => allow })
    await third.settled()
    expect(third.read("count.txt")).toBe("x\n")
    expect(questions(third)).toEqual([id ?? ""])
    expect(resultsOf(third, "Task")[0]).toStartWith("It is blue.\n\n[general-purpose agent")
    expect(resultsOf(third, "Task")[0]).toContain("2 tool uses")
    expect((await third.ask({ type: "state" })).lastEnd).toBe("completed")
    expect(children(third).map(({ state, end }) => [state, end])).toEqual([
      ["started", undefined],
      ["ended", "completed"],
    ])
    // Read, the command of the agent, and the call that started it.
    expect(["pre", "start", "stop"].map((name) => inputs(t, name).length)).toEqual([3, 1, 1])
    expect(requestsOf(third, "alpha")).toHaveLength(3)
  })

test("an agent of an agent", async () => {
  const beta = use("Task", { description: "the beta work", prompt: "beta: do it.", subagent_type: "inner" })
  const definition = {
    whenToUse: "Always.",
    source: "user",
    systemPrompt: "You work.",
    tools: ["Task", "Bash"],
  } as const
  const agents = [
    { ...definition, agentType: "outer" },
    { ...definition, agentType: "inner" },
  ]
  const script = cast({
    main: [calls(task("alpha", { subagent_type: "outer" })), says("Main is done.")],
    alpha: [calls(beta), says("Alpha is done.")],
    beta: [calls(append), says("Beta is done.")],
  })
  await using t = await begin({ script, agents })
  t.say("go")
  await asked(t)
  const [id] = questions(t)
  await left(t, "killed")
  await using again = await t.reopen({ answers: (question) => (question.id === id ? allow : undefined) })
  await again.settled()
  expect(again.read("count.txt")).toBe("x\n")
  expect(resultsOf(again, "Task")[0]).toStartWith("Alpha is done.")
  expect(JSON.stringify(requestsOf(again, "alpha").at(-1))).toContain("Beta is done.")
  expect((await again.ask({ type: "state" })).lastEnd).toBe("completed")
})

test("an agent in the background waits again, and its end is told to the model", async () => {
  const script = cast({
    main: [calls(task("alpha", { run_in_background: true })), says("It works."), says("Now I know.")],
    alpha: [calls(append), says("It is blue.")],
  })
  await using t = await begin({ script })
  await t.prompt("go")
  await asked(t)
  const [id] = questions(t)
  await left(t, "killed")
  await using again = await t.reopen({ answers: (question) => (question.id === id ? allow : undefined) })
  await again.until((event) => event.type === "entry" && event.entry.kind === "child" && event.entry.state === "ended")
  expect(again.read("count.txt")).toBe("x\n")
  expect(children(again).at(-1)).toMatchObject({ state: "ended", end: "completed" })
  if (!again.entries().some((entry) => entry.kind === "attachment" && entry.name === "agent_end"))
    await again.prompt("and?")
  await again.until((event) => isEntry("attachment")(event) && JSON.stringify(event).includes("agent_end"))
})

test("where nobody can be asked the question is withdrawn, and the agent is told as lost", async () => {
  const script = cast({
    main: [calls(task("alpha")), says("Main is done.")],
    alpha: [calls(append), says("Done.")],
  })
  await using t = await begin({ script })
  t.say("go")
  await asked(t)
  await left(t, "killed")
  await using again = await t.reopen({ answers: undefined })
  expect(await again.ask({ type: "questions" })).toEqual([])
  expect(again.entries()).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ kind: "answer" }), expect.objectContaining({ end: "lost" })]),
  )
  expect(resultsOf(again, "Task")[0]).toContain("was at work")
})
