/** Commands that others carry out: prompts of a real MCP server, and agents of their own. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { textOf } from "#agent/words/message.ts"
import { everything, servers } from "../../kit/mcp/servers.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { bash, calls, says, use } from "../../kit/script.ts"
import { cast, logOf } from "../subagents/cast.ts"

setDefaultTimeout(300_000)

const start = (options: TestSessionOptions): Promise<TestSession> =>
  openTestSession({
    allow: [],
    mode: "default",
    extensions: { claudeFolder: "/nonexistent", bundled: false },
    ...options,
    place: { trusted: true, ...options.place },
  })

const prompts = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "prompt" ? [textOf(entry.content)] : []))

test("a prompt of a server is a command, also while the server is still on its way; what is missing is said", async () => {
  await using t = await start({ script: [says("One."), says("Two.")], mcp: servers([everything()]) })
  expect((await t.prompt("/mcp__everything__simple-prompt")).reason).toBe("completed")
  expect((await t.ask({ type: "commands" })).find(({ name }) => name === "mcp__everything__args-prompt")?.takes).toBe(
    "<city> [state]",
  )
  expect(await t.prompt("/mcp__everything__args-prompt")).toEqual({
    reason: "error",
    cause: "command",
    message: "/mcp__everything__args-prompt needs city behind it.",
  })
  await t.prompt('/mcp__everything__args-prompt "New York" NY')
  expect(prompts(t)).toEqual(["This is a simple prompt without arguments.", "What's weather in New York, NY?"])
  expect((await t.session.submit({ type: "command", name: "mcp__everything__nothing", args: "" })).ok).toBe(false)
})

const forking = "---\ndescription: Looks around\ncontext: fork\nagent: Explore\n---\nYou are alpha. Look at $1."

test("a command with context: fork is carried out by an agent of its own, whose report becomes the prompt", async () => {
  await using t = await start({
    files: { ".claude/commands/look.md": forking },
    script: cast({ main: [says("It is fine.")], alpha: [calls(bash("ls")), says("All is well in alpha.")] }),
  })
  expect((await t.prompt("/look around")).reason).toBe("completed")
  expect(prompts(t)[0]).toContain("An agent of its own has carried it out")
  expect(prompts(t)[0]).toContain("All is well in alpha.")
  expect(
    (await logOf(t, "look")).some(
      (entry) => entry.kind === "prompt" && textOf(entry.content).includes("Look at around."),
    ),
  ).toBe(true)
})

test("a skill with context: fork answers with the report; a rule against the agent holds", async () => {
  const files = { ".claude/skills/look/SKILL.md": forking }
  await using t = await start({
    files,
    script: cast({
      main: [calls(use("Skill", { skill: "look", args: "here" })), says("Fine.")],
      alpha: [says("Nothing to see.")],
    }),
  })
  await t.prompt("go")
  expect(textOf(t.results()[0]?.content ?? "")).toContain("Nothing to see.")
  await using denied = await start({
    files,
    deny: ["Task(Explore)"],
    script: cast({ main: [calls(use("Skill", { skill: "look" })), says("No.")], alpha: [] }),
  })
  await denied.prompt("go")
  expect(denied.results()[0]?.isError).toBe(true)
})
