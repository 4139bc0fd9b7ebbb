/** What a client changes and asks while its session is open: thinking, names, tasks, servers. */

import { expect, test } from "bun:test"
import { join } from "node:path"
import { readdirSync, readFileSync } from "node:fs"
import { isObject, type JsonObject } from "#lib/json.ts"
import { bash, calls, use } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, withBoth, type World } from "./drive.ts"
import { initialize, isAnswerTo, isResult, openWire, request, user, type Wire } from "./wire.ts"
import { until } from "../../kit/until.ts"

const isEnd = ({ type }: Message): boolean => type === "result"

async function ask(wire: Wire, subtype: string, more: object = {}): Promise<JsonObject> {
  const id = crypto.randomUUID()
  wire.send(request(id, { subtype, ...more }))
  const { response } = await wire.next(isAnswerTo(id))
  if (!isObject(response)) throw new Error("There is no response.")
  return response
}

const thinkingOf = (world: World): readonly unknown[] =>
  world.requests().map(({ body }) => (isObject(body) ? (body.thinking ?? null) : null))

const modules = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol")
const everything = { command: "node", args: [join(modules, "server-everything/dist/index.js"), "stdio"] }

withBoth("how much the model thinks: a number, nothing, and as at the start", async (version) => {
  await using world = await openWorld(version, { scenario: ["One.", "Two.", "Three.", "Four."] })
  const chat = openChat(world, { model: "claude-sonnet-4-5", maxThinkingTokens: 2048 })
  const turn = async (): Promise<void> => {
    chat.stream.say("go")
    await chat.next(isEnd)
  }
  await turn()
  await chat.query.setMaxThinkingTokens(4096)
  await turn()
  await chat.query.setMaxThinkingTokens(0)
  await turn()
  await chat.query.setMaxThinkingTokens(null)
  await turn()
  await expect(chat.query.setMaxThinkingTokens(-1)).rejects.toThrow("max_thinking_tokens")
  await chat.end()
  const [first, second, third, fourth] = thinkingOf(world)
  expect(first).toMatchObject({ type: "enabled", budget_tokens: 2048 })
  expect(second).toMatchObject({ type: "enabled", budget_tokens: 4096 })
  expect(third === null || (isObject(third as never) && (third as JsonObject).type === "disabled")).toBe(true)
  expect(fourth).toMatchObject({ type: "enabled", budget_tokens: 2048 })
})

test("a request that only changes how thinking is shown leaves the number as it is", async () => {
  await using world = await openWorld("0.3", { scenario: ["One."] })
  const wire = openWire(world, ["--model", "claude-sonnet-4-5", "--max-thinking-tokens", "2048"])
  wire.send(initialize())
  expect(await ask(wire, "set_max_thinking_tokens", { thinking_display: "omitted" })).toMatchObject({
    subtype: "success",
  })
  expect(await ask(wire, "set_max_thinking_tokens", { thinking_display: "highlights" })).toMatchObject({
    subtype: "error",
  })
  wire.send(user("go"))
  await wire.next(isResult)
  await wire.end()
  expect(thinkingOf(world)).toMatchObject([{ type: "enabled", budget_tokens: 2048 }])
})

test("a session is named, unless the name is meant for another one", async () => {
  await using world = await openWorld("0.3", { scenario: ["One."] })
  const wire = openWire(world)
  wire.send(initialize(), user("go"))
  const { session_id: id } = await wire.next(isResult)
  expect(await ask(wire, "rename_session", { title: "A new name", session_id: id })).toMatchObject({
    subtype: "success",
  })
  expect(await ask(wire, "rename_session", { title: "Other", session_id: crypto.randomUUID() })).toMatchObject({
    subtype: "error",
  })
  expect(await ask(wire, "rename_session", { title: " " })).toMatchObject({ subtype: "error" })
  await wire.end()
  const projects = join(world.place.state, "projects")
  const log = readdirSync(projects, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(".jsonl")) ?? ""
  const text = readFileSync(join(projects, log), "utf8")
  expect(text).toContain("A new name")
  expect(text).not.toContain('"Other"')
})

withBoth("models are listed, and what the session cost is told", async (version) => {
  await using world = await openWorld(version, { scenario: ["One."] })
  const chat = openChat(world)
  const models = await chat.query.supportedModels()
  expect(models[0]).toMatchObject({ value: "default", resolvedModel: "claude-opus-5-5" } as never)
  const values = models.map(({ value }) => value)
  for (const name of ["opus", "sonnet", "haiku", "opusplan"]) expect(values).toContain(name)
  expect(new Set(values).size).toBe(values.length)
  expect(models.find(({ value }) => value === "opus")).toMatchObject({
    resolvedModel: "claude-opus-5-5",
    supportsEffort: true,
    supportedEffortLevels: expect.arrayContaining(["low", "high"]),
  } as never)
  for (const model of models) expect(model).toMatchObject({ displayName: expect.any(String) })
  await chat.end()

  const wire = openWire(world)
  wire.send(initialize(), user("go"))
  await wire.next(isResult)
  expect((await ask(wire, "list_models")).response).toMatchObject({ models: expect.any(Array) })
  expect((await ask(wire, "get_session_cost")).response).toMatchObject({ text: expect.stringContaining("$") })
  await wire.end()
})

withBoth("a command that the model waits for moves to the background, and its output can be read", async (version) => {
  const line = "x".repeat(99)
  const command = `for i in $(seq 200); do echo ${line}; done; sleep 1000`
  await using world = await openWorld(version, { scenario: [calls(bash(command)), "It runs on."] })
  const chat = openChat(world, { allowedTools: ["Bash"] })
  chat.stream.say("start it")
  const call = await chat.next(({ type }) => type === "assistant")
  const id = (call.message as unknown as { content: { id: string }[] }).content[0]?.id ?? ""
  expect(await chat.query.backgroundTasks("no-such-call")).toBe(false)
  // The command must have begun.
  await until(() => chat.query.backgroundTasks(id))
  const task = await chat.next(({ subtype }) => subtype === "task_started")
  expect(await chat.next(isEnd)).toMatchObject({ result: "It runs on." })
  await chat.query.stopTask(String(task.task_id))
  await chat.end()
})

test("the end of a task's output: at most 8 KiB, with the size of the whole", async () => {
  const input = { command: "for i in $(seq 1000); do echo line $i of many; done", run_in_background: true }
  await using world = await openWorld("0.3", { scenario: [calls(use("Bash", input)), "Started.", "Done."] })
  const wire = openWire(world, ["--allowedTools", "Bash"])
  wire.send(initialize(), user("go"))
  const { task_id } = await wire.next(({ subtype }) => subtype === "task_started")
  await wire.next(({ subtype }) => subtype === "task_notification")
  const { response } = await ask(wire, "get_task_output", { task_id })
  const { output = "", total_bytes, truncated } = isObject(response) ? response : {}
  expect({ total_bytes, truncated }).toEqual({ total_bytes: 16_893, truncated: true })
  expect(String(output).length).toBe(8192)
  expect(String(output)).toEndWith("line 1000 of many\n")
  expect(await ask(wire, "get_task_output", { task_id: "bash_99" })).toMatchObject({ subtype: "error" })
  await wire.end()
})

withBoth("a server is connected again; an unknown one is an error", async (version) => {
  await using world = await openWorld(version, { scenario: ["One."] })
  const chat = openChat(world, { mcpServers: { all: everything } })
  chat.stream.say("go")
  await chat.next(isEnd)
  await chat.query.reconnectMcpServer("all")
  const [status] = await chat.query.mcpServerStatus()
  expect(status).toMatchObject({ name: "all", status: "connected", serverInfo: { name: expect.any(String) } })
  await expect(chat.query.reconnectMcpServer("nobody")).rejects.toThrow("nobody")
  await expect(chat.query.toggleMcpServer("nobody", false)).rejects.toThrow("nobody")
  await chat.query.toggleMcpServer("all", false)
  await expect(chat.query.reconnectMcpServer("all")).rejects.toThrow()
  await chat.query.toggleMcpServer("all", true)
  expect((await chat.query.mcpServerStatus())[0]).toMatchObject({ status: "connected" })
  await chat.end()
})

test("SDK 0.3: a resource of a server is read; a tool of it is called under the session's rules", async () => {
  await using world = await openWorld("0.3", { scenario: ["One."] })
  const chat = openChat(world, { mcpServers: { all: everything } })
  chat.stream.say("go")
  await chat.next(isEnd)
  const uri = "demo://resource/static/document/architecture.md"
  const read = await chat.query.readMcpResource("all", uri)
  expect(read.contents[0]).toMatchObject({ uri, text: expect.any(String) })
  await expect(chat.query.readMcpResource("nobody", uri)).rejects.toThrow("nobody")
  await expect(chat.query.readMcpResource("all", "demo://nothing")).rejects.toThrow()
  await chat.end()

  const config = JSON.stringify({ mcpServers: { all: everything } })
  const wire = openWire(world, ["--mcp-config", config, "--disallowedTools", "mcp__all__get-sum"])
  wire.send(initialize())
  const call = (tool: string, input: object = {}) => ask(wire, "mcp_call", { tool, arguments: input })
  expect((await call("mcp__all__echo", { message: "hi" })).response).toMatchObject({
    content: [{ type: "text", text: "Echo: hi" }],
    isError: false,
  })
  expect((await call("mcp__all__get-sum", { a: 1, b: 2 })).response).toMatchObject({ isError: true })
  for (const tool of ["mcp__all__nothing", "mcp__nobody__x", "Bash"])
    expect(await call(tool)).toMatchObject({ subtype: "error" })
  await wire.end()
})
