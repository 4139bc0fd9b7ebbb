/** Agents that nobody waits for: started so or sent there, looked after with TaskOutput and TaskStop, told of when they end. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { isRunning } from "../../kit/is-running.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"
import { cast, children, resultsOf, task } from "./cast.ts"

setDefaultTimeout(300_000)

const later = { run_in_background: true }
const waitsFor = (name: string) => bash(`touch ${name}.on; while [ ! -e ${name} ]; do sleep 0.02; done`)
const idIn = (text: string): string => /agent ([0-9a-f]{8})/.exec(text)?.[1] ?? ""
/** The id of the agent that the last result names. */
const idOf = ({ messages }: { readonly messages: readonly unknown[] }): string => idIn(JSON.stringify(messages.at(-1)))

async function there(t: TestSession, name: string): Promise<void> {
  while (!(await Bun.file(t.path(name)).exists())) await Bun.sleep(10)
}

test("a call for the background is answered at once, and the end is told", async () => {
  let id = ""
  await using t = await openTestSession({
    script: cast({
      main: [
        calls(task("alpha", later)),
        (request) => {
          id = idOf(request)
          return calls(use("TaskOutput", { task_id: id }), bash("touch go"))
        },
        () => calls(use("TaskOutput", { task_id: id, block: true })),
        says("It found it."),
      ],
      alpha: [calls(waitsFor("go")), says("Here it is.")],
    }),
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(resultsOf(t, "Task")[0]).toStartWith(`The general-purpose agent ${id} works in the background.`)
  const [running, ended] = resultsOf(t, "TaskOutput")
  expect(running).toStartWith(`The general-purpose agent ${id} (the alpha work) is at work: `)
  expect(ended).toStartWith("Here it is.\n\n[general-purpose agent")
  expect(children(t).map(({ state }) => state)).toEqual(["started", "background", "ended"])
  // Who asked for it need not be told again.
  expect(t.entries().filter((entry) => entry.kind === "attachment" && entry.name === "agent_end")).toEqual([])
})

test("the end of an agent keeps the turn going, once", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [
        calls(task("alpha", later)),
        calls(bash("while [ ! -e done.txt ]; do sleep 0.02; done; sleep 0.3")),
        says("I wait."),
        says("I heard."),
      ],
      alpha: [calls(bash("touch done.txt")), says("All done.")],
    }),
  })
  await t.prompt("go")
  const told = t.entries().filter((entry) => entry.kind === "attachment" && entry.name === "agent_end")
  expect(told).toHaveLength(1)
  expect(JSON.stringify(told)).toMatch(
    /The general-purpose agent [0-9a-f]{8} \(the alpha work\) is done\. TaskOutput with/,
  )
})

test("TaskStop ends an agent with its processes; ids of commands work alike", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [
        calls(task("alpha", later), use("Bash", { command: "echo hello; sleep 86394", run_in_background: true })),
        calls(bash("while [ ! -s a.pid ]; do sleep 0.02; done")),
        (request) => calls(use("TaskStop", { task_id: idIn(JSON.stringify(request.messages)) })),
        calls(use("TaskOutput", { task_id: "bash_1" })),
        calls(use("TaskStop", { task_id: "bash_1" })),
        calls(use("TaskStop", { task_id: "nothing" })),
        (request) => calls(use("TaskStop", { task_id: idIn(JSON.stringify(request.messages)) })),
        says("Done."),
      ],
      alpha: [calls(bash("echo $$ > a.pid; sleep 86394")), says("never said")],
    }),
  })
  await t.prompt("go")
  const [stopped, command, unknown, twice] = resultsOf(t, "TaskStop")
  expect(stopped).toMatch(
    /^The general-purpose agent [0-9a-f]{8} was stopped\. What it changed so far stays changed\.$/,
  )
  expect(isRunning(Number(t.read("a.pid")))).toBe(false)
  expect(resultsOf(t, "TaskOutput")[0]).toContain("hello")
  expect(command).toContain("bash_1")
  expect(unknown).toStartWith("There is no agent or background command nothing. Agents of this session: ")
  expect(twice).toMatch(/^The agent [0-9a-f]{8} is not at work any more\.$/)
})

test("the person sends agents to the background, and the turn goes on", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [
        calls(task("alpha"), task("beta")),
        calls(bash("touch go")),
        says("They go on without me."),
        says("Both heard."),
        says("Both heard."),
      ],
      alpha: [calls(waitsFor("go")), says("alpha is done")],
      beta: [calls(bash("touch b.on; while [ ! -e go ]; do sleep 0.02; done")), says("beta is done")],
    }),
  })
  t.say("go")
  await there(t, "go.on")
  await there(t, "b.on")
  expect((await t.session.submit({ type: "background" })).ok).toBe(true)
  await t.settled()
  for (const result of resultsOf(t, "Task"))
    expect(result).toMatch(/^The user sent the general-purpose agent [0-9a-f]{8} to the background/)
  expect(children(t).filter(({ state }) => state === "background")).toHaveLength(2)
  expect(await t.session.submit({ type: "background" })).toEqual({ ok: false, failure: { kind: "nothing_runs" } })
})

test("what still works when the session is closed is ended, recorded and told when it goes on", async () => {
  const t = await openTestSession({
    script: cast({
      main: [calls(task("alpha", later)), says("It goes on."), says("I heard that it was stopped.")],
      alpha: [calls(bash("echo $$ > a.pid; sleep 86395")), says("never said")],
    }),
  })
  await t.prompt("go")
  await there(t, "a.pid")
  await Bun.sleep(50)
  const again = await t.reopen()
  expect(isRunning(Number(again.read("a.pid")))).toBe(false)
  expect(children(again).at(-1)).toMatchObject({ state: "ended", end: "stopped" })
  await again.prompt("What became of it?")
  expect(JSON.stringify(again.requests().at(-1))).toContain("(the alpha work) was stopped.")
  await again[Symbol.asyncDispose]()
  await t[Symbol.asyncDispose]()
})

test("an interrupt leaves the agents alone that nobody waits for", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [calls(task("alpha", later), bash("touch on; sleep 86396")), says("never said"), says("I heard.")],
      alpha: [calls(waitsFor("go")), says("All done.")],
    }),
  })
  t.say("go")
  await there(t, "on")
  await there(t, "go.on")
  void t.session.submit({ type: "interrupt" })
  await t.settled()
  expect((await t.ask({ type: "agents" }))[0]?.fact.state).toBe("background")
  await Bun.write(t.path("go"), "")
  await t.until((event) => event.type === "entry" && event.entry.kind === "child" && event.entry.state === "ended")
  expect((await t.ask({ type: "agents" }))[0]?.fact).toMatchObject({ state: "ended", end: "completed" })
})

test("no more than ten work at once", async () => {
  const many = Array.from({ length: 11 }, (_, i) => task("alpha", { ...later, description: `number ${i}` }))
  await using t = await openTestSession({
    script: cast({
      main: [calls(...many), says("Done."), says("Done."), says("Done.")],
      alpha: [calls(bash("while [ ! -e go ]; do sleep 0.05; done")), says("ok")],
    }),
  })
  await t.prompt("go")
  const results = resultsOf(t, "Task")
  expect(results.filter((text) => text.includes("works in the background"))).toHaveLength(10)
  expect(results.at(-1)).toBe(
    "The agent was not started. 10 agents work already. Wait until one is done, or end one with TaskStop.",
  )
})

test("a compaction names the agents that are at work", async () => {
  await using t = await openTestSession({
    script: cast({
      main: [
        calls(task("alpha", later)),
        calls(bash("seq 1 3000")),
        says("It goes on."),
        says("<summary>An agent was started and numbers were printed with seq, all of them.</summary>"),
      ],
      alpha: [calls(waitsFor("go")), says("All done.")],
    }),
  })
  await t.prompt("go")
  await there(t, "go.on")
  void t.session.submit({ type: "compact" })
  await t.settled()
  const id = (await t.ask({ type: "agents" }))[0]?.fact.agentId ?? ""
  const compaction = t.entries().find((entry) => entry.kind === "compaction")
  expect(compaction).toMatchObject({ running: [id] })
  expect(JSON.stringify(compaction)).toContain("the general-purpose agent: the alpha work")
  await Bun.write(t.path("go"), "")
})
