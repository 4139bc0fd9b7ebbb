/** Ways around plan mode and deny rules that lead through other rooms: the bridge to late tools, agents, and questions left open. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import type { Answer, Question } from "#agent/words/question.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { lateServer } from "../../kit/late-server.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, use, write } from "../../kit/script.ts"
import { cast, children, logOf, task } from "../subagents/cast.ts"
import { approve, exit, plainChance, writePlan } from "./plan.ts"

setDefaultTimeout(300_000)

const models = { old: "claude-3-7-sonnet", new: "claude-sonnet-5" } as const
const bridge = (name: string) => use("CallTool", { name, input: { word: "x" } })
const direct = (name: string) => use(name, { word: "x" })
const search = use("ToolSearch", { query: "select:mcp__box__rm,mcp__box__hidden,mcp__box__echo" })
const yes = (): Answer => ({ kind: "allow" })
const asked = (t: TestSession): Promise<unknown> => t.until(({ type }) => type === "question_open")

/** Every way to a tool that writes, and to one that a rule hides; and to tools of our own through the bridge. */
const ways = [
  search,
  bridge("mcp__box__rm"),
  direct("mcp__box__rm"),
  bridge("mcp__box__hidden"),
  direct("mcp__box__hidden"),
  bridge("Bash"),
  bridge("Write"),
  bridge("CallTool"),
  use("CallTool", { name: "Bash", input: { command: "touch bridged.txt" } }),
  use("CallTool", { name: "Write", input: { file_path: "bridged.txt", content: "x" } }),
  use("CallTool", { name: "CallTool", input: { name: "mcp__box__rm", input: { word: "x" } } }),
]

/** One at a time: what follows a call that failed is not tried. */
const eachWay = ways.map((way) => calls(way))

for (const [age, id] of Object.entries(models))
  for (const mode of ["plan", "bypassPermissions"] as const satisfies readonly PermissionMode[])
    test(`the bridge leads nowhere else, in the mode ${mode} with ${age} models, also from agents and after a change`, async () => {
      const server = lateServer({ acts: true })
      server.offer({ rm: "Removes", hidden: "Is hidden", echo: "Says" })
      let questions = 0
      await using t = await openTestSession({
        mode,
        bypassAvailable: true,
        kits: [server.kit],
        model: { id, small: "claude-3-5-haiku" },
        allow: ["Bash", "Edit", "mcp__box"],
        // In the freest mode only what is denied is left to be reached.
        deny: ["mcp__box__hidden", ...(mode === "plan" ? [] : ["mcp__box__rm", "Bash", "Write"])],
        answers() {
          questions++
          return yes()
        },
        script: cast({
          main: [
            ...eachWay,
            calls(task("alpha"), task("beta", { subagent_type: "Explore" })),
            says("Done."),
            ...eachWay,
            says("Done."),
          ],
          alpha: [...eachWay, says("Nothing.")],
          beta: [...eachWay, says("Nothing.")],
        }),
      })
      await t.prompt("go")
      void t.session.submit({ type: "set_model", model: id === models.old ? models.new : models.old })
      await t.prompt("again")
      expect(t.results().filter(({ tool }) => tool !== "Task")).toHaveLength(2 * ways.length)
      expect(server.calls).toEqual([])
      expect(existsSync(t.path("bridged.txt"))).toBe(false)
      expect(questions).toBe(0)
      for (const word of ["alpha", "beta"])
        expect(
          (await logOf(t, word)).filter(
            (entry) => entry.kind === "result" && !entry.isError && entry.tool !== "ToolSearch",
          ),
        ).toEqual([])
    })

test("the same ways do lead there where nothing is in the way", async () => {
  const server = lateServer({ acts: true })
  server.offer({ rm: "Removes", hidden: "Is hidden", echo: "Says" })
  await using t = await openTestSession({
    mode: "bypassPermissions",
    bypassAvailable: true,
    kits: [server.kit],
    model: { id: models.old, small: "claude-3-5-haiku" },
    script: cast({
      main: [...eachWay, calls(task("alpha")), says("Done.")],
      alpha: [...eachWay, says("Done.")],
    }),
  })
  await t.prompt("go")
  expect(server.calls.filter((call) => call === "rm x").length).toBeGreaterThanOrEqual(2)
  expect(server.calls).toContain("hidden x")
  // What is no late tool is not called through the bridge, whatever the mode.
  expect(existsSync(t.path("bridged.txt"))).toBe(false)
})

test("a question left open, then plan mode: what was asked about is refused when the session goes on", async () => {
  const script = [calls(write("b.txt", "x")), calls(bash("touch c.txt")), says("Refused.")]
  await using t = await openTestSession({ script, mode: "default", allow: [], answers: () => undefined })
  t.say("go")
  await asked(t)
  void t.session.submit({ type: "set_mode", mode: "plan" })
  let questions = 0
  await using again = await t.reopen({
    answers() {
      questions++
      return yes()
    },
  })
  await again.settled()
  expect(questions).toBe(0)
  expect((await again.ask({ type: "state" })).mode).toBe("plan")
  expect([existsSync(t.path("b.txt")), existsSync(t.path("c.txt"))]).toEqual([false, false])
})

test("a plan left open, then another mode: an approval that comes later approves nothing", async () => {
  const script = [
    calls(writePlan("# Plan\n\nWrite b.txt.\n")),
    calls(exit),
    calls(write("b.txt", "x")),
    says("Asked first."),
  ]
  await using t = await openTestSession({ ...plainChance, script, mode: "plan", allow: [], answers: () => undefined })
  t.say("plan it")
  await asked(t)
  void t.session.submit({ type: "set_mode", mode: "default" })
  const kinds: string[] = []
  await using again = await t.reopen({
    answers({ ask }: Question) {
      kinds.push(ask.kind)
      return ask.kind === "plan" ? approve() : { kind: "deny", interrupt: false, words: "no" }
    },
  })
  await again.settled()
  expect(kinds).toEqual(["permission"])
  expect((await again.ask({ type: "state" })).mode).toBe("default")
  expect(existsSync(t.path("b.txt"))).toBe(false)
})

test("an agent that goes on in plan mode does no more than one that begins in it", async () => {
  await using t = await openTestSession({
    mode: "bypassPermissions",
    bypassAvailable: true,
    script: cast({
      main: [
        calls(task("alpha")),
        says("Once."),
        () => calls(task("alpha", { resume: children(t).at(-1)?.agentId ?? "" })),
        says("Refused."),
      ],
      alpha: [
        calls(bash("touch one.txt")),
        says("Made."),
        calls(bash("touch two.txt")),
        calls(write("three.txt", "x")),
        calls(use("ExitPlanMode", {})),
        says("Refused."),
      ],
    }),
    answers: yes,
  })
  await t.prompt("go")
  void t.session.submit({ type: "set_mode", mode: "plan" })
  await t.prompt("go on")
  expect(["one", "two", "three"].map((name) => existsSync(t.path(`${name}.txt`)))).toEqual([true, false, false])
  expect((await t.ask({ type: "state" })).mode).toBe("plan")
})
