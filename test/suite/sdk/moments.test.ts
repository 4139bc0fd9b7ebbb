/** Callbacks at the moments around the conversation: setting up, whole steps, commands, questions of servers, folders. */

import { describe, expect, test } from "bun:test"
import { mkdirSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { HookCallback, HookEvent, HookInput } from "claude-agent-sdk-0.3"
import { openPlace, runCodewright } from "../../kit/run-codewright.ts"
import { bash, calls, read, use } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, resultOf, withBoth } from "./drive.ts"

const isResult = ({ type }: Message): boolean => type === "result"
const asking = join(import.meta.dir, "../../kit/mcp/asking-server.ts")

type Heard = HookInput & { readonly [field: string]: unknown }

/** A callback for one event that notes what it hears. */
function on(event: HookEvent, answer: object = {}) {
  const heard: Heard[] = []
  const hook: HookCallback = async (input) => {
    heard.push(input as Heard)
    return answer as never
  }
  return { heard, hooks: { [event]: [{ hooks: [hook] }] } }
}

withBoth("setting up comes before the start, and its context reaches the model", async (version) => {
  await using world = await openWorld(version, { scenario: ["Done."] })
  const setup = on("Setup", { hookSpecificOutput: { hookEventName: "Setup", additionalContext: "Node 22 is here." } })
  const start = on("SessionStart")
  const told = await world.run("go", { hooks: { ...setup.hooks, ...start.hooks }, extraArgs: { maintenance: null } })
  expect(resultOf(told).result).toBe("Done.")
  expect(setup.heard).toMatchObject([{ hook_event_name: "Setup", trigger: "maintenance" }])
  expect(start.heard).toHaveLength(1)
  expect(JSON.stringify(world.requests()[0]?.body)).toContain("Node 22 is here.")
  expect(told.messages.filter(({ subtype }) => subtype === "hook_started").map(({ hook_name }) => hook_name)).toEqual([
    "Setup:maintenance",
    "SessionStart:startup",
  ])
})

withBoth("without the flag nothing is set up", async (version) => {
  await using world = await openWorld(version, { scenario: ["Done."] })
  const setup = on("Setup")
  await world.run("go", { hooks: setup.hooks })
  expect(setup.heard).toEqual([])
})

describe("--init-only", () => {
  const hook = (command: string) => [{ hooks: [{ type: "command", command }] }]
  const settings = (hooks: object): string => JSON.stringify({ hooks })

  test("runs the hooks, sends nothing and keeps nothing", async () => {
    using place = openPlace()
    const hooks = {
      Setup: hook("cat > set"),
      SessionStart: hook("test -e set && touch began"),
      SessionEnd: hook("touch over"),
    }
    const run = await runCodewright({ place, argv: ["--init-only", "--settings", settings(hooks)] })
    expect(run).toMatchObject({ code: 0, stdout: "", requests: [] })
    expect(await Bun.file(join(place.work, "set")).json()).toMatchObject({ trigger: "init" })
    for (const name of ["began", "over"]) expect(await Bun.file(join(place.work, name)).exists()).toBe(true)
  })

  test("fails with a required hook", async () => {
    const required = [{ hooks: [{ type: "command", command: "exit 3", required: true, name: "tools" }] }]
    const run = await runCodewright({ argv: ["--init-only", "--settings", settings({ SessionStart: required })] })
    expect(run).toMatchObject({ code: 1, stdout: "" })
    expect(run.stderr).toContain('The hook "tools" is required')
  })
})

withBoth("all calls of a step are told at once, before the next request", async (version) => {
  const hookSpecificOutput = { hookEventName: "PostToolBatch", additionalContext: "Both were read." }
  const batch = on("PostToolBatch", { hookSpecificOutput })
  await using world = await openWorld(version, {
    files: { "a.txt": "one\n" },
    scenario: [calls(read("a.txt"), read("missing.txt")), calls(bash("echo two")), "Done."],
  })
  const told = await world.run("go", { hooks: batch.hooks })
  expect(resultOf(told).result).toBe("Done.")
  expect(batch.heard.map((one) => one["tool_calls"])).toMatchObject([
    [
      {
        tool_name: "Read",
        tool_input: { file_path: "a.txt" },
        tool_response: expect.stringContaining("one") as string,
      },
      { tool_name: "Read", tool_input: { file_path: "missing.txt" } },
    ],
    [
      {
        tool_name: "Bash",
        tool_input: { command: "echo two" },
        tool_response: expect.stringContaining("two") as string,
      },
    ],
  ])
  expect(JSON.stringify(world.requests()[1]?.body)).toContain("Both were read.")
})

withBoth("a whole step can be the last one", async (version) => {
  const batch = on("PostToolBatch", { decision: "block", reason: "Enough." })
  await using world = await openWorld(version, { scenario: [calls(bash("echo one")), "Never said."] })
  const told = await world.run("go", { hooks: batch.hooks })
  expect(resultOf(told)).toMatchObject({ is_error: true, errors: ["A hook ended it: Enough."] })
  expect(world.requests()).toHaveLength(1)
})

withBoth("a command is announced before it becomes a prompt, and can be refused", async (version) => {
  await using world = await openWorld(version, {
    files: { ".claude/commands/greet.md": "---\ndescription: Greets\n---\nSay hello to $ARGUMENTS." },
    scenario: ["Hello.", "Plain."],
  })
  const seen = on("UserPromptExpansion")
  const told = await world.run("/greet Ada", { hooks: seen.hooks, extraArgs: { trust: null } })
  expect(resultOf(told).result).toBe("Hello.")
  expect(seen.heard).toMatchObject([
    {
      expansion_type: "slash_command",
      command_name: "greet",
      command_args: "Ada",
      command_source: "project",
      prompt: "/greet Ada",
    },
  ])
  const refused = on("UserPromptExpansion", { decision: "block", reason: "Not today." })
  const no = await world.run("/greet Ada", { hooks: refused.hooks, extraArgs: { trust: null } })
  expect(JSON.stringify(resultOf(no))).toContain("Not today.")
  const plain = await world.run("greet Ada", { hooks: refused.hooks })
  expect(resultOf(plain).result).toBe("Plain.")
  expect(world.requests()).toHaveLength(2)
})

/** What the model is told by a tool that asks for a name. */
async function greeted(version: "0.3" | "0.2", hooks: object, onElicitation?: () => Promise<{ action: "decline" }>) {
  await using world = await openWorld(version, {
    scenario: [calls(use("mcp__ask__greet", {})), "Done."],
    env: { ENABLE_TOOL_SEARCH: "false" },
  })
  const told = await world.run("go", {
    mcpServers: { ask: { command: process.execPath, args: [asking] } },
    allowedTools: ["mcp__ask__greet"],
    hooks,
    ...(onElicitation && { onElicitation }),
  })
  expect(resultOf(told).result).toBe("Done.")
  return JSON.stringify(world.requests()[1]?.body)
}

withBoth("a hook fills in a server's form, and the user is not asked", async (version) => {
  const hookSpecificOutput = { hookEventName: "Elicitation", action: "accept", content: { name: "Ada" } }
  const form = on("Elicitation", { hookSpecificOutput })
  const asked: string[] = []
  const text = await greeted(version, form.hooks, async () => {
    asked.push("user")
    return { action: "decline" }
  })
  expect(text).toContain("Hello Ada.")
  expect(asked).toEqual([])
  expect(form.heard).toMatchObject([
    { mcp_server_name: "ask", message: "What is your name?", mode: "form", requested_schema: { type: "object" } },
  ])
})

withBoth("a hook changes the answer that a server gets", async (version) => {
  const hookSpecificOutput = { hookEventName: "ElicitationResult", action: "accept", content: { name: "Grace" } }
  const result = on("ElicitationResult", { hookSpecificOutput })
  expect(await greeted(version, result.hooks, async () => ({ action: "decline" }))).toContain("Hello Grace.")
  expect(result.heard).toMatchObject([{ mcp_server_name: "ask", action: "decline", mode: "form" }])
  const unfit = on("Elicitation", {
    hookSpecificOutput: { hookEventName: "Elicitation", action: "accept", content: { name: 5 } },
  })
  expect(await greeted(version, unfit.hooks)).toContain("Hello nobody.")
})

withBoth("folders that are added, and what runs when a turn ends", async (version) => {
  await using world = await openWorld(version, {
    scenario: [calls(use("Bash", { command: "sleep 600", run_in_background: true })), "Started.", "More."],
  })
  mkdirSync(join(world.place.path, "other"))
  const added = on("DirectoryAdded")
  const stop = on("Stop")
  const submitted = on("UserPromptSubmit")
  const chat = openChat(world, {
    allowedTools: ["Bash"],
    hooks: { ...added.hooks, ...stop.hooks, ...submitted.hooks },
    extraArgs: { "background-wait": "0" },
  })
  chat.stream.say("go")
  await chat.next(isResult)
  expect(stop.heard).toMatchObject([
    {
      stop_hook_active: false,
      background_tasks: [{ id: "bash_1", type: "shell", status: "running", command: "sleep 600" }],
      session_crons: [],
    },
  ])
  expect(submitted.heard).toMatchObject([{ source: "sdk" }])
  chat.stream.say("/add-dir ../other")
  await chat.next(isResult)
  // Nothing waits for this hook, and a client that has closed its input is not asked any more.
  while (added.heard.length === 0) await Bun.sleep(5)
  await chat.end()
  expect(added.heard).toMatchObject([{ directory: join(world.place.path, "other"), source: "slash_command" }])
})

withBoth(
  "a file that the model knows and someone else changes, or removes, is told before the next request",
  async (version) => {
    await using world = await openWorld(version, {
      scenario: [calls(read("a.txt"), read("b.txt")), "Read.", "I see."],
    })
    const [a, b] = [join(world.place.work, "a.txt"), join(world.place.work, "b.txt")]
    await Promise.all([Bun.write(a, "one\n"), Bun.write(b, "two\n")])
    const changed = on("FileChanged")
    const chat = openChat(world, { hooks: changed.hooks })
    chat.stream.say("read")
    await chat.next(isResult)
    expect(changed.heard).toEqual([])
    await Bun.write(a, "another\n")
    rmSync(b)
    chat.stream.say("go on")
    await chat.next(isResult)
    await chat.end()
    const told = changed.heard.map(({ file_path, event }) => [String(file_path), event])
    expect(told.toSorted()).toEqual([
      [realpathSync(a), "change"],
      [join(realpathSync(world.place.work), "b.txt"), "unlink"],
    ])
  },
)
