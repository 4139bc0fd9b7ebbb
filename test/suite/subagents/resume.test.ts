/** An agent goes on where it stopped: in the same session, after a resume, and after the program was killed. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, read, says, use } from "../../kit/script.ts"
import { cast, children, logOf, requestsOf, resultsOf, task } from "./cast.ts"

setDefaultTimeout(300_000)

const again = (id: string, prompt: string) =>
  use("Task", { description: "more alpha work", prompt, subagent_type: "general-purpose", resume: id })
const idIn = (value: unknown): string => /agent ([0-9a-f]{8})/.exec(JSON.stringify(value))?.[1] ?? ""

test("resume goes on with the whole history", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "blue\n" },
    script: cast({
      main: [
        calls(task("alpha")),
        (request) => calls(again(idIn(request.messages), "And what was it?")),
        says("Blue."),
      ],
      alpha: [calls(read("a.txt")), says("I have read it."), says("It was blue.")],
    }),
  })
  await t.prompt("go")
  const [first, second] = resultsOf(t, "Task")
  expect(idIn(first)).toBe(idIn(second))
  expect(second).toStartWith("It was blue.\n\n[general-purpose agent")
  const last = requestsOf(t, "alpha").at(-1)
  expect(JSON.stringify(last?.messages)).toContain("I have read it.")
  expect((await logOf(t, "alpha")).filter(({ kind }) => kind === "turn_start")).toHaveLength(2)
})

test("resume of what is not there, of another type, and of one at work is refused in words", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [
        calls(again("12345678", "hello")),
        calls(task("alpha")),
        (request) =>
          calls(
            use("Task", {
              description: "d",
              prompt: "p",
              subagent_type: "Explore",
              resume: idIn(request.messages.at(-1)),
            }),
          ),
        calls(task("beta", { run_in_background: true })),
        (request) => calls(again(idIn(request.messages.at(-1)), "hurry")),
        calls(bash("touch go")),
        says("Done."),
        says("Done."),
      ],
      alpha: [says("ok")],
      beta: [calls(bash("while [ ! -e go ]; do sleep 0.02; done")), says("ok")],
    }),
  })
  await t.prompt("go")
  const results = resultsOf(t, "Task")
  expect(results[0]).toBe("There is no agent 12345678 in this session to resume. Start a new one.")
  expect(results[2]).toContain("is of the type general-purpose; name that as subagent_type to resume it.")
  expect(results[4]).toMatch(/The agent [0-9a-f]{8} is still at work\. Wait for it\./)
})

test("after the session is resumed its agents can go on, and their answers can be read", async () => {
  const t = await openTestSession({
    script: cast({
      main: [
        calls(task("alpha")),
        says("Done."),
        (request) => calls(use("TaskOutput", { task_id: idIn(request.messages) })),
        (request) => calls(again(idIn(request.messages), "Once more.")),
        says("Done again."),
      ],
      alpha: [says("The first answer."), says("The second answer.")],
    }),
  })
  await t.prompt("go")
  await using resumed = await t.reopen()
  await resumed.prompt("go on")
  expect(resultsOf(resumed, "TaskOutput")[0]).toStartWith("The first answer.")
  expect(resultsOf(resumed, "Task").at(-1)).toStartWith("The second answer.")
  await t[Symbol.asyncDispose]()
})

test("a program that was killed answers the call and names the agent, which goes on", async () => {
  const t = await openTestSession({
    files: { "a.txt": "blue\n" },
    script: cast({
      main: [
        calls(task("alpha"), task("beta", { run_in_background: true })),
        (request) => calls(again(idIn(request.messages), "Go on.")),
        says("All there."),
      ],
      alpha: [calls(read("a.txt")), calls(bash("touch on; sleep 86397")), says("It was blue.")],
      beta: [calls(bash("touch b.on; sleep 86397")), says("never said")],
    }),
  })
  t.say("go")
  for (const name of ["on", "b.on"]) while (!(await Bun.file(t.path(name)).exists())) await Bun.sleep(10)
  await Bun.sleep(50)
  const id =
    (await t.ask({ type: "agents" })).find(({ fact }) => fact.description === "the alpha work")?.fact.agentId ?? ""
  // What a killed program leaves is what is in the logs at that moment.
  const logs = [t.logPath, ...(await t.ask({ type: "agents" })).map(({ fact }) => fact.path ?? "")]
  const kept = logs.map((path) => readFileSync(path))
  await t.session.close()
  logs.forEach((path, i) => writeFileSync(path, kept[i] ?? ""))

  const back = await t.reopen()
  const [lost] = resultsOf(back, "Task")
  expect(lost).toBe(
    `Interrupted: the program ended while the general-purpose agent ${id} was at work. What it did is kept: Task with resume "${id}" continues it.`,
  )
  expect(children(back).filter(({ end }) => end === "lost")).toHaveLength(2)
  await back.prompt("Go on, please.")
  expect(resultsOf(back, "Task").at(-1)).toStartWith("It was blue.")
  const seen = JSON.stringify(back.requests().find((messages) => JSON.stringify(messages).includes("Go on, please.")))
  expect(seen).toContain("(the beta work) was ended by the end of the program.")
  await back[Symbol.asyncDispose]()
  await t[Symbol.asyncDispose]()
})

/** An agent that answers, and is asked for more in another turn. */
const saysMore = (second: string) =>
  cast({
    main: [
      calls(task("alpha")),
      says("Done."),
      (request) => calls(again(idIn(request.messages), "More.")),
      says("Done."),
    ],
    alpha: [says("The first answer."), says(second)],
  })

test("a log of an agent that is torn or full of rubbish is read as far as it is whole", async () => {
  const t = await openTestSession({
    script: saysMore("The second answer."),
  })
  await t.prompt("go")
  appendFileSync(children(t)[0]?.path ?? "", '{"type":"assistant","mess')
  await using back = await t.reopen()
  await back.prompt("more")
  expect(resultsOf(back, "Task").at(-1)).toStartWith("The second answer.")
  await t[Symbol.asyncDispose]()
})

test("where nothing is kept an agent works, and cannot go on later", async () => {
  await using t = await openTestSession({
    log: "none",
    script: cast({
      main: [calls(task("alpha")), (request) => calls(again(idIn(request.messages), "More.")), says("Done.")],
      alpha: [says("An answer.")],
    }),
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  const sent = JSON.stringify(t.requests().at(-1))
  expect(sent).toContain("An answer.")
  expect(sent).toContain("This session is not saved, so no agent can be resumed. Start a new one.")
  expect(sent).not.toContain("continues it")
})

test("a copy of a session knows of the agents, but cannot go on with them", async () => {
  const t = await openTestSession({
    script: saysMore("never said"),
  })
  await t.prompt("go")
  const copy = await t.fork()
  await copy.prompt("more")
  expect(resultsOf(copy, "Task").at(-1)).toStartWith("The agent was not started. What it did before is not kept here")
  expect(await copy.ask({ type: "agent", agentId: "../../x" })).toBeNull()
  await copy[Symbol.asyncDispose]()
  await t[Symbol.asyncDispose]()
})
