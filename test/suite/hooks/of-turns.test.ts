/** Hooks that a command or a skill brings: they run while its turn lasts, also in another process, and not before. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { bash, calls, says as replies, use } from "../../kit/script.ts"
import { starting } from "../commands/start.ts"
import { hookRuns, inputs, lastRequest } from "./hooks.ts"

setDefaultTimeout(300_000)

const { start, closeLater } = starting()

const refuses = `hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: "echo not in this turn >&2; exit 2"
`
const guarded = `---\ndescription: Deploys\n${refuses}---\nDeploy it.`
const loads = calls(use("Skill", { skill: "deploy" }))

test("the hooks of a command refuse calls of its turn, and of no other", async () => {
  const t = await start({
    allow: ["Bash"],
    script: [calls(bash("touch one")), replies("no"), calls(bash("touch two")), replies("ok")],
    files: { ".claude/commands/deploy.md": guarded },
  })
  await t.prompt("/deploy")
  expect(existsSync(t.path("one"))).toBe(false)
  await t.prompt("now without it")
  expect(existsSync(t.path("two"))).toBe(true)
  expect(hookRuns(t)).toMatchObject([{ event: "PreToolUse", source: "command deploy", decision: "deny" }])
})

test("the hooks of a skill run from when it is loaded until the turn ends, with its folder in the environment", async () => {
  const watches = `---
description: Deploys
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - { type: command, command: 'echo "$CLAUDE_SKILL_DIR" >> "$CLAUDE_PROJECT_DIR/../seen"' }
  Stop:
    - hooks: [{ type: command, command: 'cat >> "$CLAUDE_PROJECT_DIR/../stopped"' }]
---
Deploy it.`
  const t = await start({
    allow: ["Bash"],
    script: [
      calls(bash("true one")),
      loads,
      calls(bash("true two")),
      replies("done"),
      calls(bash("true three")),
      replies("done"),
    ],
    files: { ".claude/skills/deploy/SKILL.md": watches },
  })
  await t.prompt("go")
  await t.prompt("again")
  expect(t.read("../seen")).toBe(`${t.path(".claude/skills/deploy")}\n`)
  expect(inputs(t, "stopped")).toMatchObject([{ hook_event_name: "Stop", last_assistant_message: "done" }])
})

test("a turn that continues in another process keeps the hooks of its skill", async () => {
  const t = await start({
    ask: ["Bash"],
    script: [loads, calls(bash("touch made")), calls(bash("touch second")), replies("ok")],
    files: { ".claude/skills/deploy/SKILL.md": guarded.replace("exit 2", "exit 0") },
    answers: () => undefined,
  })
  t.say("go")
  await t.until((event) => event.type === "question_open")
  const before = hookRuns(t).length
  const again = await t.reopen({ answers: () => ({ kind: "allow" }) })
  closeLater(again)
  await again.settled()
  expect(existsSync(again.path("second"))).toBe(true)
  expect(before).toBe(1)
  expect(hookRuns(again).map(({ source }) => source)).toEqual(["skill deploy", "skill deploy"])
})

test("hooks that were written since the session began do not run, and nothing is allowed in their name", async () => {
  const quiet = "---\ndescription: Deploys\n---\nDeploy it."
  const t = await start({
    script: [loads, replies("ok")],
    files: { ".claude/skills/deploy/SKILL.md": quiet },
  })
  await t.prompt("hello")
  writeFileSync(
    t.path(".claude/skills/deploy/SKILL.md"),
    guarded.replace("description", "allowed-tools: Bash\ndescription"),
  )
  await t.prompt("/deploy")
  expect(hookRuns(t)).toEqual([])
  const notices = t.entries().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))
  expect(notices).toEqual([
    "/deploy is new or has changed since this session began: its hooks do not run, and it allows no tools. Start a new session to use them.",
  ])
})

test("in a folder that is not trusted they do not run either", async () => {
  const t = await start({
    allow: ["Bash"],
    place: { trusted: false },
    script: [calls(bash("touch made")), replies("ok")],
    files: { ".claude/commands/deploy.md": guarded },
  })
  await t.prompt("/deploy")
  expect(existsSync(t.path("made"))).toBe(true)
  expect(hookRuns(t)).toEqual([])
})

test("a skill whose hooks cannot be followed is not loaded", async () => {
  const t = await start({
    script: [loads, replies("ok")],
    files: { ".claude/skills/deploy/SKILL.md": guarded.replace("PreToolUse", "PreTolUse") },
  })
  await t.prompt("go")
  expect(String(t.results()[0]?.content)).toContain("did you mean PreToolUse?")
  expect(lastRequest(t)).not.toContain("Deploy it.")
  await t.prompt("/deploy")
  expect(t.entries().findLast(({ kind }) => kind === "command")).toMatchObject({ isError: true })
})

test("the log says which hooks a turn had", async () => {
  const t = await start({ script: [replies("ok")], files: { ".claude/commands/deploy.md": guarded } })
  await t.prompt("/deploy")
  expect(t.entries().find(({ kind }) => kind === "prompt")).toMatchObject({
    command: { hooks: [{ source: "command deploy", isProject: true }] },
  })
  expect(readFileSync(t.logPath, "utf8")).toContain("not in this turn")
})
