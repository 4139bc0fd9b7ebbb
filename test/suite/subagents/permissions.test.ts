/** Nothing of an agent is wider than what the one who started it has: rules, modes and questions are those of the session. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, use, write } from "../../kit/script.ts"
import { cast, children, logOf, requestsOf, resultsOf, task, toolsOf } from "./cast.ts"

setDefaultTimeout(300_000)

const reasons = (entries: Awaited<ReturnType<typeof logOf>>): readonly string[] =>
  entries.flatMap((entry) =>
    entry.kind === "decision" ? [`${entry.tool} ${entry.behavior} ${entry.reason.kind}`] : [],
  )

test("deny rules hold in agents, and hide there what they hide elsewhere", async () => {
  await using t = await openTestSession({
    files: { "secret/key.txt": "k\n", "a.txt": "a\n" },
    deny: ["Bash(git push:*)", "Read(./secret/**)", "WebFetch"],
    script: cast({
      main: [calls(task("alpha")), says("Done.")],
      alpha: [calls(read("secret/key.txt"), read("a.txt"), bash("git push origin main")), says("Denied twice.")],
    }),
  })
  await t.prompt("go")
  const results = (await logOf(t, "alpha")).filter((entry) => entry.kind === "result")
  expect(results.map(({ isError, denied }) => [isError, denied !== undefined])).toEqual([
    [true, true],
    [false, false],
    [true, true],
  ])
  const names = toolsOf(t, "alpha")
  expect(names).not.toContain("WebFetch")
})

test("rules about agents: denied by either name, and asked about", async () => {
  await using t = await openTestSession({
    deny: ["Agent(Explore)", "Task(guide)"],
    script: cast({
      main: [
        calls(task("alpha", { subagent_type: "Explore" }), task("beta", { subagent_type: "guide" }), task("gamma")),
        calls(use("Agent", { description: "d", prompt: "delta", subagent_type: "general-purpose" })),
        says("Done."),
      ],
      gamma: [says("gamma is back")],
      delta: [says("delta is back")],
    }),
  })
  await t.prompt("go")
  const [first, second, third] = resultsOf(t, "Task")
  expect(first).toContain("The rule Agent(Explore) (command line) denies it")
  expect(second).toContain("The rule Task(guide) (command line) denies it")
  expect(third).toStartWith("gamma is back")
  expect(resultsOf(t, "Agent")[0]).toStartWith("delta is back")
  expect(children(t).filter(({ state }) => state === "started")).toHaveLength(2)
})

test("a deny rule for all agents takes the tool away", async () => {
  await using t = await openTestSession({ deny: ["Task"], script: [says("ok")] })
  await t.prompt("go")
  expect((await t.ask({ type: "about" })).tools).not.toContain("Task")
  expect((await t.ask({ type: "about" })).tools).toContain("Read")
})

test("a question of an agent is answered at the door of its session, and says who asks", async () => {
  const asked: string[] = []
  await using t = await openTestSession({
    mode: "default",
    allow: [],
    answers({ ask, agent }) {
      asked.push(`${agent?.type} ${ask.kind === "permission" ? ask.title : ask.kind}`)
      return { kind: "allow" }
    },
    script: cast({
      main: [calls(task("alpha")), says("Done.")],
      alpha: [calls(write("made.txt", "x")), says("Made it.")],
    }),
  })
  await t.prompt("go")
  expect(asked).toEqual(["general-purpose Write made.txt"])
  expect(t.read("made.txt")).toBe("x")
  expect(t.entries().filter(({ kind }) => kind === "question" || kind === "answer")).toHaveLength(2)
  expect(reasons(await logOf(t, "alpha"))).toEqual(["Write allow person"])
})

test("what the person allows an agent for the session holds for all, and is in the session's log", async () => {
  let questions = 0
  await using t = await openTestSession({
    mode: "default",
    allow: [],
    answers() {
      questions++
      return { kind: "allow", remember: { rule: "Bash(touch:*)", destination: "session" } }
    },
    script: cast({
      main: [calls(task("alpha")), calls(bash("touch two")), calls(task("beta")), says("Done.")],
      alpha: [calls(bash("touch one")), says("One.")],
      beta: [calls(bash("touch three")), says("Three.")],
    }),
  })
  await t.prompt("go")
  expect(questions).toBe(1)
  expect(t.entries().filter(({ kind }) => kind === "grant")).toHaveLength(1)
  expect((await logOf(t, "alpha")).some(({ kind }) => kind === "grant")).toBe(false)
  for (const name of ["one", "two", "three"]) expect(await Bun.file(t.path(name)).exists()).toBe(true)
  await using again = await t.reopen({
    script: cast({ main: [], gamma: [calls(bash("touch four")), says("Four.")] }),
  })
  expect((await again.ask({ type: "state" })).turns).toBe(1)
})

test("a plain no to a call of an agent ends the agent and the turn", async () => {
  await using t = await openTestSession({
    mode: "default",
    allow: [],
    answers: () => ({ kind: "deny", interrupt: false }),
    script: cast({
      main: [calls(task("alpha")), says("never said")],
      alpha: [calls(write("made.txt", "x")), says("never said")],
    }),
  })
  expect(await t.prompt("go")).toMatchObject({ reason: "aborted", cause: "declined" })
  expect(await Bun.file(t.path("made.txt")).exists()).toBe(false)
})

test("where nobody can be asked, an agent is refused and goes on", async () => {
  await using t = await openTestSession({
    mode: "default",
    allow: [],
    script: cast({
      main: [calls(task("alpha")), says("Done.")],
      alpha: [calls(write("made.txt", "x")), says("I could not write.")],
    }),
  })
  expect(await t.prompt("go")).toEqual({ reason: "completed" })
  expect(reasons(await logOf(t, "alpha"))).toEqual(["Write deny no_one_to_ask"])
  expect(resultsOf(t, "Task")[0]).toStartWith("I could not write.")
})

test("plan mode that is switched on while an agent works holds for its very next call", async () => {
  await using t = await openTestSession({
    files: { "a.txt": "one\n" },
    script: cast({
      main: [calls(task("alpha")), says("Done.")],
      alpha: [
        calls(read("a.txt"), bash("touch on; while [ ! -e go ]; do sleep 0.02; done")),
        calls(edit("a.txt", "one", "two")),
        calls(read("a.txt"), bash("rm a.txt")),
        says("I was stopped by plan mode."),
      ],
    }),
  })
  t.say("go")
  while (!(await Bun.file(t.path("on")).exists())) await Bun.sleep(10)
  void t.session.submit({ type: "set_mode", mode: "plan" })
  await Bun.write(t.path("go"), "")
  await t.settled()
  expect(t.read("a.txt")).toBe("one\n")
  const refused = (await logOf(t, "alpha")).filter((entry) => entry.kind === "result" && entry.isError)
  expect(refused).toHaveLength(2)
  expect(JSON.stringify(refused[0])).toContain("The session is in plan mode, so nothing can be changed")
  expect(JSON.stringify(refused)).not.toContain("ExitPlanMode")
})

test("an agent may not be given more than its session by its own definition", async () => {
  const bold: AgentDefinition = {
    agentType: "bold",
    whenToUse: "For everything.",
    systemPrompt: "You dare.",
    tools: ["Bash", "Task", "AskUserQuestion", "ExitPlanMode"],
    source: "project",
  }
  await using t = await openTestSession({
    mode: "plan",
    agents: [bold],
    script: cast({
      main: [calls(task("alpha", { subagent_type: "bold" })), says("Done.")],
      alpha: [
        calls(bash("touch x"), use("AskUserQuestion", {}), use("Write", { file_path: "y", content: "y" })),
        says("No."),
      ],
    }),
  })
  await t.prompt("go")
  const names = toolsOf(t, "alpha")
  expect(names.toSorted()).toEqual(["Bash", "Task", "TaskOutput", "TaskStop"])
  expect(await Bun.file(t.path("x")).exists()).toBe(false)
  expect((await logOf(t, "alpha")).filter((entry) => entry.kind === "result" && entry.isError)).toHaveLength(3)
})

test("agents start agents only where they are made for it, and not without end", async () => {
  const lead: AgentDefinition = {
    agentType: "lead",
    whenToUse: "To lead.",
    systemPrompt: "You lead.",
    tools: ["Task", "Read"],
    source: "project",
  }
  const deeper = { subagent_type: "lead" }
  await using t = await openTestSession({
    agents: [lead],
    script: cast({
      main: [calls(task("alpha", deeper)), says("Done.")],
      alpha: [calls(task("beta", deeper)), says("alpha is back")],
      beta: [calls(task("gamma", deeper)), says("beta is back")],
      gamma: [calls(task("delta", deeper)), says("gamma could go no deeper")],
    }),
  })
  await t.prompt("go")
  expect(resultsOf(t, "Task")[0]).toStartWith("alpha is back")
  const tools = (word: string) => toolsOf(t, word)
  expect(tools("beta: do it")).toContain("Task")
  expect(tools("gamma: do it")).toEqual(["Read"])
  expect(requestsOf(t, "delta: do it")).toEqual([])
})

test("questions of two agents at once are two questions", async () => {
  const asked: string[] = []
  await using t = await openTestSession({
    mode: "default",
    allow: [],
    answers: ({ ask }) => {
      asked.push(ask.kind === "permission" ? `${ask.title}: ${ask.decision.message.slice(0, 33)}` : "")
      return { kind: "allow" }
    },
    script: cast({
      main: [calls(task("alpha"), task("beta")), says("Done.")],
      alpha: [calls(write("a.txt", "a")), says("ok")],
      beta: [calls(write("b.txt", "b")), says("ok")],
    }),
  })
  await t.prompt("go")
  expect(asked.toSorted()).toEqual([
    "Write a.txt: The general-purpose agent asks. W",
    "Write b.txt: The general-purpose agent asks. W",
  ])
  expect([t.read("a.txt"), t.read("b.txt")]).toEqual(["a", "b"])
})

test("a tool with a pattern is there for that alone, in every mode, and a denied pattern for all but that", async () => {
  const lines = [
    "git log --oneline",
    "cd . && git status",
    "git status | cat",
    "ls",
    "git log; touch a",
    "git branch -D main",
    "$(cat docs/a.md) log",
  ]
  const committer: AgentDefinition = {
    agentType: "committer",
    whenToUse: "w",
    systemPrompt: "alpha works here.",
    tools: ["Bash", "Edit", "Read"],
    limits: ["Bash(git:*)", "Edit(docs/**)"],
    denies: ["Bash(git branch:*)"],
    source: "user",
  }
  await using t = await openTestSession({
    files: { "docs/a.md": "a\n", "src/a.ts": "a\n" },
    mode: "bypassPermissions",
    agents: [committer],
    script: cast({
      main: [calls(task("alpha", { subagent_type: "committer" })), says("Done.")],
      alpha: [
        calls(read("docs/a.md"), read("src/a.ts")),
        ...lines.map((line) => calls(bash(line))),
        calls(edit("docs/a.md", "a", "b")),
        calls(edit("src/a.ts", "a", "b")),
        says("ok"),
      ],
    }),
  })
  await t.prompt("go")
  expect(toolsOf(t, "alpha").toSorted()).toEqual(["Bash", "Edit", "Read"])
  const results = (await logOf(t, "alpha")).filter((entry) => entry.kind === "result").slice(2)
  expect(results.map(({ denied }) => denied === undefined)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
    true,
    false,
  ])
})
