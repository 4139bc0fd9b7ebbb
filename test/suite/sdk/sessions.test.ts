/** Conversations that are continued, copied, limited, and read back by the SDK itself. */

import { expect } from "bun:test"
import * as sdk02 from "claude-agent-sdk-0.2"
import * as sdk03 from "claude-agent-sdk-0.3"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { bash, calls, read, use } from "../../kit/script.ts"
import { kinds, type Message, openWorld, resultOf, type Told, withBoth } from "./drive.ts"

const sdks = { "0.3": sdk03, "0.2": sdk02 as unknown as typeof sdk03 }
const idOf = (told: Told): string => String(resultOf(told).session_id)
const messagesOf = (body: unknown): string => JSON.stringify((body as { messages: unknown }).messages)

withBoth(
  "resume continues the session with its cost, fork leaves the original alone, continue takes the newest",
  async (version) => {
    await using world = await openWorld(version, { scenario: ["One.", "Two.", "Three.", "Four."] })
    const first = await world.run("remember 41")
    const id = idOf(first)
    const resumed = await world.run("and then?", { resume: id })
    expect(idOf(resumed)).toBe(id)
    expect(messagesOf(world.requests()[1]?.body)).toContain("remember 41")
    expect(Number(resultOf(resumed).total_cost_usd)).toBeGreaterThan(Number(resultOf(first).total_cost_usd))
    expect(resultOf(resumed).usage).not.toEqual({})
    const forked = await world.run("elsewhere", { resume: id, forkSession: true })
    expect(idOf(forked)).not.toBe(id)
    expect(messagesOf(world.requests()[2]?.body)).toContain("and then?")
    const continued = await world.run("on", { continue: true })
    expect(idOf(continued)).toBe(idOf(forked))
  },
)

withBoth("a session that does not exist is an error that names it", async (version) => {
  await using world = await openWorld(version)
  const id = crypto.randomUUID()
  const told = await world.run("hi", { resume: id })
  expect(told.thrown).toContain(id)
  expect(world.stderr()).toContain(`No conversation found with session ID: ${id}`)
})

withBoth("the SDK reads our transcripts where it looks for its own", async (version) => {
  await using world = await openWorld(version, {
    scenario: [calls(read("a.txt")), "It says one."],
    files: { "a.txt": "one\n" },
  })
  const config = join(world.place.path, "config")
  const told = await world.run("what does a.txt say?", {
    env: { CLAUDE_CONFIG_DIR: config, CODEWRIGHT_HOME: undefined },
  })
  const id = idOf(told)
  const before = process.env["CLAUDE_CONFIG_DIR"]
  process.env["CLAUDE_CONFIG_DIR"] = config
  try {
    const { listSessions, getSessionMessages, getSessionInfo } = sdks[version]
    const sessions = await listSessions({ dir: world.place.work })
    expect(sessions).toMatchObject([{ sessionId: id, firstPrompt: "what does a.txt say?", cwd: world.place.work }])
    expect(await getSessionInfo(id, { dir: world.place.work })).toMatchObject({ sessionId: id })
    const messages = await getSessionMessages(id, { dir: world.place.work })
    expect(messages.map(({ type }) => type)).toEqual(["user", "assistant", "user", "assistant"])
    expect(JSON.stringify(messages[0]?.message)).toContain("what does a.txt say?")
    expect(JSON.stringify(messages.at(-1)?.message)).toContain("It says one.")
    const ends = messages.flatMap(({ type, message }) => (type === "assistant" ? [message] : []))
    expect(ends).toMatchObject([{ stop_reason: "tool_use" }, { stop_reason: "end_turn" }])
    // What the messages used adds up to what the result says.
    const used = ends.map((end) => (end as { usage: Record<string, number> }).usage)
    const total = resultOf(told).usage as Record<string, number>
    for (const kind of ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"])
      expect([kind, used.reduce((sum, usage) => sum + (usage[kind] ?? 0), 0)]).toEqual([kind, total[kind] ?? 0])
    const uuids = told.messages.flatMap(({ type, uuid }) => (type === "assistant" ? [uuid] : []))
    expect(messages.filter(({ type }) => type === "assistant").map(({ uuid }) => uuid)).toEqual(uuids as never)
  } finally {
    if (before === undefined) delete process.env["CLAUDE_CONFIG_DIR"]
    else process.env["CLAUDE_CONFIG_DIR"] = before
  }
})

withBoth("the SDK renames, marks, copies and deletes our sessions, and its copy is resumed", async (version) => {
  await using world = await openWorld(version, { scenario: ["One.", "Two.", "Three."] })
  const config = join(world.place.path, "config")
  const dir = world.place.work
  const env = { CLAUDE_CONFIG_DIR: config, CODEWRIGHT_HOME: undefined }
  const id = idOf(await world.run("remember 41", { env }))
  const before = process.env["CLAUDE_CONFIG_DIR"]
  process.env["CLAUDE_CONFIG_DIR"] = config
  try {
    const { renameSession, tagSession, getSessionInfo, forkSession, deleteSession, listSessions } = sdks[version]
    await renameSession(id, "Numbers", { dir })
    await tagSession(id, "kept", { dir })
    expect(await getSessionInfo(id, { dir })).toMatchObject({ customTitle: "Numbers", tag: "kept" })
    const resumed = await world.run("and then?", { env, resume: id })
    expect(resultOf(resumed)).toMatchObject({ session_id: id, result: "Two." })
    const { sessionId: copy } = await forkSession(id, { dir })
    const continued = await world.run("on", { env, resume: copy })
    expect(resultOf(continued)).toMatchObject({ session_id: copy, result: "Three." })
    expect(messagesOf(world.requests().at(-1)?.body)).toContain("remember 41")
    await deleteSession(id, { dir })
    expect((await listSessions({ dir })).map(({ sessionId }) => sessionId)).toEqual([copy])
  } finally {
    if (before === undefined) delete process.env["CLAUDE_CONFIG_DIR"]
    else process.env["CLAUDE_CONFIG_DIR"] = before
  }
})

withBoth("without that folder nothing is written into ~/.claude", async (version) => {
  await using world = await openWorld(version, { scenario: ["Hello."] })
  await world.run("hi")
  expect(existsSync(join(world.place.home, ".claude"))).toBe(false)
})

withBoth("limits end a turn with the result that names them", async (version) => {
  await using world = await openWorld(version, {
    scenario: [calls(bash("echo 1")), calls(bash("echo 2")), calls(bash("echo 3"))],
  })
  const told = await world.run("go", { maxTurns: 2 })
  expect(resultOf(told)).toMatchObject({
    subtype: "error_max_turns",
    is_error: true,
    num_turns: 3,
    terminal_reason: "max_turns",
  })
  expect(told.thrown).toContain("error result")
})

withBoth("a budget that is used up", async (version) => {
  await using world = await openWorld(version, { scenario: ["One."] })
  const told = await world.run("go", { maxBudgetUsd: 0.000001 })
  expect(resultOf(told)).toMatchObject({ subtype: "error_max_budget_usd", is_error: true })
})

withBoth("a failure of the API is a result with an error, after a synthetic answer", async (version) => {
  await using world = await openWorld(version, { env: { CLAUDE_CODE_MAX_RETRIES: "0" } })
  world.simulator.setFaults(["unauthorized"])
  const told = await world.run("go")
  const result = resultOf(told)
  expect(result).toMatchObject({ subtype: "success", is_error: true, terminal_reason: "api_error" })
  const synthetic = told.messages.find(({ type }) => type === "assistant") as Message
  expect(synthetic).toMatchObject({ message: { model: "<synthetic>" }, error: "authentication_failed" })
  expect(told.thrown).toContain("API Error")
})

withBoth("agents are told with the call that started them; their words only on request", async (version) => {
  const scenario = {
    replies: [
      {
        when: { lastUserText: "delegate" },
        ...calls(use("Task", { description: "look", prompt: "Look at a.txt", subagent_type: "helper" })),
      },
      { when: { lastUserText: "Look at a.txt" }, ...calls(read("a.txt")) },
      { when: { lastToolResult: "one" }, content: "The file says one." },
      { content: "Delegated." },
    ],
  }
  const agents = { helper: { description: "Looks at files", prompt: "You look at files.", tools: ["Read"] } }
  for (const forward of [false, true]) {
    await using world = await openWorld(version, { scenario, files: { "a.txt": "one\n" } })
    const told = await world.run("delegate", {
      agents,
      ...(forward && { extraArgs: { "forward-subagent-text": null } }),
    })
    expect(resultOf(told).result).toBe("Delegated.")
    const call = told.messages.find(({ type }) => type === "assistant") as Message
    const id = (call.message as unknown as { content: { id: string }[] }).content[0]?.id
    const inner = told.messages.filter(({ parent_tool_use_id }) => parent_tool_use_id === id)
    expect(inner.map(({ type }) => type)).toEqual(
      forward ? ["user", "assistant", "user", "assistant"] : ["user", "assistant", "user"],
    )
    expect(inner[1]).toMatchObject({ subagent_type: "helper", task_description: "look" })
    const tasks = kinds(told).filter((kind) => kind.startsWith("system/task"))
    expect(tasks).toEqual([
      "system/task_started",
      "system/task_progress",
      "system/task_updated",
      "system/task_notification",
    ])
    const result = told.messages.find(({ type, parent_tool_use_id }) => type === "user" && parent_tool_use_id === null)
    expect(result?.tool_use_result).toMatchObject({ status: "completed", totalToolUseCount: 1 })
  }
})

withBoth("the transcripts of agents are read by the SDK's own functions", async (version) => {
  const scenario = {
    replies: [
      {
        when: { lastUserText: "delegate" },
        ...calls(use("Task", { description: "look", prompt: "Look at a.txt", subagent_type: "helper" })),
      },
      { when: { lastUserText: "Look at a.txt" }, ...calls(read("a.txt")) },
      { when: { lastToolResult: "one" }, content: "The file says one." },
      { content: "Delegated." },
    ],
  }
  await using world = await openWorld(version, { scenario, files: { "a.txt": "one\n" } })
  const config = join(world.place.path, "config")
  const told = await world.run("delegate", {
    agents: { helper: { description: "Looks at files", prompt: "You look at files.", tools: ["Read"] } },
    env: { CLAUDE_CONFIG_DIR: config, CODEWRIGHT_HOME: undefined },
  })
  const id = String(resultOf(told).session_id)
  const before = process.env["CLAUDE_CONFIG_DIR"]
  process.env["CLAUDE_CONFIG_DIR"] = config
  try {
    const { listSubagents: list, getSubagentMessages: messages } = sdks[version]
    const agents = await list(id, { dir: world.place.work })
    const task = told.messages.find(({ subtype }) => subtype === "task_started") as Message
    expect(agents).toEqual([String(task.task_id)])
    const said = await messages(id, agents[0] ?? "", { dir: world.place.work })
    expect(said.map(({ type }) => type)).toEqual(["user", "assistant", "user", "assistant"])
    expect(JSON.stringify(said[0]?.message)).toContain("Look at a.txt")
    expect(JSON.stringify(said.at(-1)?.message)).toContain("The file says one.")
  } finally {
    if (before === undefined) delete process.env["CLAUDE_CONFIG_DIR"]
    else process.env["CLAUDE_CONFIG_DIR"] = before
  }
})
