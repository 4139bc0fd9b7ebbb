/** What commands and skills deny and allow, where a turn ends in another way than it should: nothing is ever wider than it was said. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync } from "node:fs"
import type { Answer } from "#agent/words/question.ts"
import { isEntry, openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, edit, read, says, use, write } from "../../kit/script.ts"
import { says as hookSays, on } from "../hooks/hooks.ts"
import { cast, children, resultsOf, task } from "../subagents/cast.ts"

setDefaultTimeout(300_000)

const start = (options: TestSessionOptions): Promise<TestSession> =>
  openTestSession({
    mode: "default",
    extensions: { claudeFolder: "/nonexistent", bundled: false },
    place: { trusted: true },
    ...options,
  })
const yes = (): Answer => ({ kind: "allow" })
const nobodyYet = (): undefined => undefined
const asked = (t: TestSession): Promise<unknown> => t.until(({ type }) => type === "question_open")
const careful = "---\ndescription: Carefully\ndisallowed-tools: Bash(touch:*)\n---\nBe careful."
const bold = "---\ndescription: Boldly\nallowed-tools: Bash(touch:*)\n---\nBe bold."

test("what a command denies holds also where its turn goes on in another process", async () => {
  await using t = await start({
    allow: ["Bash"],
    files: { ".claude/commands/careful.md": careful },
    script: [calls(write("a.txt", "x")), calls(bash("touch b.txt")), says("Refused.")],
    answers: nobodyYet,
  })
  t.say("/careful")
  await asked(t)
  await using again = await t.reopen({ answers: yes })
  await again.settled()
  expect(again.read("a.txt")).toBe("x")
  expect(existsSync(t.path("b.txt"))).toBe(false)
})

test("so does what a skill denies, and neither outlives the turn", async () => {
  await using t = await start({
    allow: ["Bash"],
    files: { ".claude/skills/careful/SKILL.md": careful },
    script: [
      calls(use("Skill", { skill: "careful" })),
      calls(write("a.txt", "x")),
      calls(bash("touch b.txt")),
      says("Refused."),
      calls(bash("touch c.txt")),
      says("Done."),
    ],
    answers: nobodyYet,
  })
  t.say("go")
  await asked(t)
  await using again = await t.reopen({ answers: yes })
  await again.settled()
  expect(existsSync(t.path("b.txt"))).toBe(false)
  await again.prompt("next")
  expect(existsSync(t.path("c.txt"))).toBe(true)
})

test("what a command denies holds for an agent that it started, also when that outlasts the turn", async () => {
  await using t = await start({
    allow: ["Bash"],
    files: { ".claude/commands/careful.md": careful },
    script: cast({
      main: [calls(task("alpha", { run_in_background: true })), says("It works.")],
      alpha: [calls(bash("while [ ! -e go ]; do sleep 0.02; done")), calls(bash("touch b.txt")), says("Refused.")],
    }),
  })
  t.say("/careful")
  await t.until(isEntry("turn_end"))
  await Bun.write(t.path("go"), "")
  await t.until((event) => event.type === "entry" && event.entry.kind === "child" && event.entry.state === "ended")
  expect(existsSync(t.path("b.txt"))).toBe(false)
})

test("what a command allows is for its turn alone: not for agents, nor after an error or an interrupt", async () => {
  let isFailed = false
  await using t = await start({
    allow: ["Bash(sleep:*)"],
    files: { ".claude/commands/bold.md": bold },
    script: cast({
      main: [
        calls(bash("touch own.txt")),
        calls(task("alpha")),
        () => {
          if (isFailed) return calls(bash("touch after-error.txt"))
          isFailed = true
          return { fault: "unauthorized" }
        },
        says("Refused."),
        calls(bash("touch up.txt; sleep 30")),
        calls(bash("touch after-interrupt.txt")),
        says("Refused."),
      ],
      alpha: [calls(bash("touch child.txt")), says("Refused.")],
    }),
  })
  expect(await t.prompt("/bold")).toMatchObject({ reason: "error" })
  await t.prompt("after")
  t.say("/bold")
  while (!existsSync(t.path("up.txt"))) await Bun.sleep(10)
  void t.session.submit({ type: "interrupt" })
  await t.settled()
  await t.prompt("and now")
  expect(existsSync(t.path("own.txt"))).toBe(true)
  for (const name of ["child", "after-error", "after-interrupt"])
    expect([name, existsSync(t.path(`${name}.txt`))]).toEqual([name, false])
})

test("what a command allows is not allowed where its turn goes on in another process", async () => {
  await using t = await start({
    allow: [],
    files: { ".claude/commands/bold.md": bold },
    script: [calls(write("a.txt", "x")), calls(bash("touch b.txt")), says("Asked.")],
    answers: nobodyYet,
  })
  t.say("/bold")
  await asked(t)
  const titles: string[] = []
  await using again = await t.reopen({
    answers({ ask }) {
      titles.push(ask.kind === "permission" ? ask.title : ask.kind)
      return { kind: "allow" }
    },
  })
  await again.settled()
  expect(titles).toEqual(["Write a.txt", expect.stringContaining("touch b.txt")])
})

test("a command that was carried out by half is not begun again by itself", async () => {
  await using t = await start({
    allow: ["Bash(echo one*)", "Edit(log.txt)"],
    files: { ".claude/commands/two.md": "---\ndescription: d\n---\n!`echo one >> log.txt`\n!`touch two.txt`\n" },
    script: [says("Hello.")],
    answers: nobodyYet,
  })
  t.say("/two")
  await asked(t)
  await using again = await t.reopen({ answers: yes })
  await again.settled()
  await again.prompt("hello")
  expect(t.read("log.txt")).toBe("one\n")
  expect(existsSync(t.path("two.txt"))).toBe(false)
  expect(again.entries().find(({ kind }) => kind === "command")).toMatchObject({
    typed: "/two",
    isError: true,
    text: expect.stringContaining("some may have taken effect"),
  })
  expect(t.requests()).toHaveLength(1)
})

test("a skill that was loaded by half is not said to have done nothing", async () => {
  await using t = await start({
    allow: ["Bash(touch one*)"],
    files: {
      ".claude/skills/two/SKILL.md": "---\nname: two\ndescription: d\n---\n!`touch one.txt`\n!`touch two.txt`\n",
    },
    script: [calls(use("Skill", { skill: "two" }), write("w.txt", "x")), says("Done.")],
    answers: nobodyYet,
  })
  t.say("go")
  await asked(t)
  await using again = await t.reopen({ answers: yes })
  await again.settled()
  expect(again.results().map(({ content }) => content)).toEqual([
    expect.stringContaining("It may have taken effect in part"),
    "Not run: the program ended before this started.",
  ])
  expect([existsSync(t.path("one.txt")), existsSync(t.path("two.txt"))]).toEqual([true, false])
})

test("in plan mode neither commands that fork, nor what they allow, nor hooks that change and allow, change anything", async () => {
  const allowing = (more: object): string =>
    hookSays("PreToolUse", { permissionDecision: "allow", ...more } as Parameters<typeof hookSays>[1])
  await using t = await start({
    mode: "plan",
    allow: ["Bash", "Edit"],
    deny: ["Task(Explore)"],
    hooks: {
      PreToolUse: [
        on(allowing({ updatedInput: { command: "touch by-hook.txt" } }), {}, "Bash"),
        on(
          `grep -q gamma && ${allowing({ updatedInput: { description: "d", prompt: "gamma", subagent_type: "Explore" } })}`,
          {},
          "Task",
        ),
      ],
      PermissionRequest: [on(hookSays("PermissionRequest", { decision: { behavior: "allow" } }))],
    },
    files: {
      "a.txt": "a",
      ".claude/commands/forked.md":
        "---\ndescription: d\ncontext: fork\nallowed-tools: Bash, Write, Edit\n---\nalpha !`touch from-command.txt`",
    },
    script: cast({
      main: [calls(task("beta")), calls(task("gamma")), says("Done.")],
      alpha: [
        calls(bash("ls")),
        calls(write("w.txt", "x")),
        calls(use("ExitPlanMode", {})),
        calls(use("EnterPlanMode", {})),
        says("Nothing."),
      ],
      beta: [calls(bash("ls")), calls(read("a.txt")), calls(edit("a.txt", "a", "b")), says("Nothing.")],
      gamma: [says("gamma ran")],
    }),
    answers: yes,
  })
  await t.prompt("/forked")
  for (const name of ["by-hook", "from-command", "w"])
    expect([name, existsSync(t.path(`${name}.txt`))]).toEqual([name, false])
  expect(t.read("a.txt")).toBe("a")
  expect((await t.ask({ type: "state" })).mode).toBe("plan")
  expect(children(t).filter(({ state }) => state === "started")).toHaveLength(2)
  expect(resultsOf(t, "Task")[1]).toContain("The rule Task(Explore) (command line) denies it")
})
