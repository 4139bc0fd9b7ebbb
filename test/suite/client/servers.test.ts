/** MCP servers inside a client: their tools are tools like all others, and the client may change them at any time. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { JsonObject } from "#lib/json.ts"
import { clientWith, type InsideTool, text } from "../../kit/mcp/in-client.ts"
import { everything, servers } from "../../kit/mcp/servers.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"
import { until } from "../../kit/until.ts"

setDefaultTimeout(300_000)

const add: InsideTool = {
  name: "add",
  description: "Adds two numbers.",
  inputSchema: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  run: ({ a, b }) => text(String(Number(a) + Number(b))),
}

test("the handshake is always done, and a dummy answer to a notification is never taken for an answer", async () => {
  const client = clientWith({ calc: () => [add] })
  await using t = await openTestSession({
    script: [calls(use("mcp__calc__add", { a: 2, b: 3 })), says("5.")],
    allow: ["mcp__calc__add"],
    client: { port: client.port, servers: ["calc"] },
  })
  expect(await t.prompt("add")).toEqual({ reason: "completed" })
  expect(t.results()[0]).toMatchObject({ content: "5", isError: false, tool: "mcp__calc__add" })
  expect(client.methods("calc")).toEqual(["initialize", "notifications/initialized", "tools/list", "tools/call"])
  const ids = client.heard.flatMap(({ message: { id } }) => (id === undefined ? [] : [id]))
  expect(ids).toContain(0)
  expect(new Set(ids).size).toBe(ids.length)
  expect(await t.ask({ type: "servers" })).toMatchObject([
    {
      name: "calc",
      source: "client",
      kind: "sdk",
      status: "connected",
      identity: { name: "calc", version: "1.0.0" },
      config: { type: "sdk" },
      tools: [{ name: "add" }],
    },
  ])
})

test("consent is by our rules: without a rule and without anybody to ask, a tool is not called", async () => {
  const client = clientWith({ calc: () => [add] })
  await using t = await openTestSession({
    script: [calls(use("mcp__calc__add", { a: 2, b: 3 })), says("Understood.")],
    client: { port: client.port, servers: ["calc"] },
  })
  await t.prompt("add")
  expect(t.results()[0]?.denied).toBeDefined()
  expect(client.methods("calc")).not.toContain("tools/call")
})

test("an error of the server, an error of the client, and a tool's own error are all told to the model", async () => {
  const client = clientWith({
    calc: () => [
      { name: "fails", run: () => ({ ...text("out of range"), isError: true }) },
      { name: "throws", run: () => Promise.reject(new Error("the client broke")) },
    ],
  })
  await using t = await openTestSession({
    script: [calls(use("mcp__calc__fails", {})), calls(use("mcp__calc__throws", {})), says("Understood.")],
    allow: ["mcp__calc"],
    client: { port: client.port, servers: ["calc"] },
  })
  await t.prompt("go")
  expect(t.results().map(({ isError }) => isError)).toEqual([true, true])
  expect(t.results()[0]?.content).toContain("out of range")
  expect(t.results()[1]?.content).toContain("the client broke")
})

test("an interrupt withdraws the request from the client, and tells the server", async () => {
  const asked = Promise.withResolvers<void>()
  const withdrawn = Promise.withResolvers<void>()
  const client = clientWith({
    calc: () => [
      {
        name: "waits",
        run(_input, signal) {
          signal.addEventListener("abort", () => withdrawn.resolve())
          asked.resolve()
          return new Promise(() => {})
        },
      },
    ],
  })
  await using t = await openTestSession({
    script: [calls(use("mcp__calc__waits", {}))],
    allow: ["mcp__calc"],
    client: { port: client.port, servers: ["calc"] },
  })
  t.say("go")
  await asked.promise
  await t.session.submit({ type: "interrupt" })
  await withdrawn.promise
  await t.settled()
  expect(client.methods("calc").at(-1)).toBe("notifications/cancelled")
})

test("a server that the client does not have is a warning; the others work", async () => {
  const client = clientWith({ calc: () => [add] })
  await using t = await openTestSession({
    script: [calls(use("mcp__calc__add", { a: 1, b: 1 })), says("2.")],
    allow: ["mcp__calc"],
    client: { port: client.port, servers: ["gone", "calc"] },
  })
  expect(await t.prompt("add")).toEqual({ reason: "completed" })
  const states = await t.ask({ type: "servers" })
  expect(states.map(({ name, status }) => [name, status])).toEqual([
    ["gone", "failed"],
    ["calc", "connected"],
  ])
  expect(states[0]?.reason).toContain("SDK MCP server not found: gone")
})

test("what a server says by itself is heard: a changed list of tools is listed again", async () => {
  let tools = [add]
  const client = clientWith({ calc: () => tools })
  await using t = await openTestSession({
    script: [says("ok")],
    client: { port: client.port, servers: ["calc"] },
  })
  await t.prompt("hello")
  tools = [add, { ...add, name: "plus" }]
  const message: JsonObject = { jsonrpc: "2.0", method: "notifications/tools/list_changed" }
  const changed = t.until(({ type }) => type === "servers_change")
  expect(await t.session.submit({ type: "server_message", server: "calc", message })).toEqual({
    ok: true,
    value: undefined,
  })
  await changed
  await until(async () => (await t.ask({ type: "servers" }))[0]?.tools.length === 2)
  expect(await t.session.submit({ type: "server_message", server: "other", message })).toEqual({
    ok: false,
    failure: { kind: "server", message: "There is no MCP server other inside the client." },
  })
})

test("servers are replaced: added, removed, kept, and wrong ones named", async () => {
  const client = clientWith({ one: () => [add], two: () => [add], three: () => [add] })
  await using t = await openTestSession({
    script: [calls(use("mcp__two__add", { a: 4, b: 4 })), says("8.")],
    allow: ["mcp__two"],
    mcp: servers([everything("fixed")]),
    client: { port: client.port, servers: ["one", "two"] },
  })
  await t.ask({ type: "ready" })
  const change = await t.ask({
    type: "set_servers",
    servers: {
      two: { type: "sdk", name: "two" },
      three: { type: "sdk" },
      fixed: { command: "true" },
      broken: { type: "carrier pigeon" },
      missing: { command: "no-such-program-anywhere" },
    },
  })
  expect(change.added.toSorted()).toEqual(["broken", "missing", "three"])
  expect(change.removed).toEqual(["one"])
  expect(Object.keys(change.errors).toSorted()).toEqual(["broken", "fixed", "missing"])
  expect(change.errors.fixed).toBe("There is already a server with this name, from user. Choose another name.")
  expect(change.errors.missing).toContain("There is no program no-such-program-anywhere.")
  expect(client.methods("two").filter((method) => method === "initialize")).toHaveLength(1)
  await t.prompt("add")
  expect(t.results()[0]?.content).toBe("8")
  expect((await t.ask({ type: "servers" })).map(({ name }) => name).toSorted()).toEqual([
    "broken",
    "fixed",
    "missing",
    "three",
    "two",
  ])
  expect(await t.ask({ type: "set_servers", servers: {} })).toMatchObject({ added: [], errors: {} })
  expect((await t.ask({ type: "servers" })).map(({ name }) => name)).toEqual(["fixed"])
})

test("a server that is replaced under the same name answers with the new one", async () => {
  let answer = "old"
  const client = clientWith({ calc: () => [{ name: "which", run: () => text(answer) }] })
  await using t = await openTestSession({
    script: [calls(use("mcp__calc__which", {})), says("."), calls(use("mcp__calc__which", {})), says(".")],
    allow: ["mcp__calc"],
    client: { port: client.port, servers: ["calc"] },
  })
  await t.prompt("go")
  await t.ask({ type: "set_servers", servers: {} })
  answer = "new"
  await t.ask({ type: "set_servers", servers: { calc: { type: "sdk" } } })
  await t.prompt("go")
  expect(t.results().map(({ content }) => content)).toEqual(["old", "new"])
})

test("the client may call a tool itself, unless a rule forbids it, and the decision is in the log", async () => {
  const client = clientWith({ calc: () => [add, { ...add, name: "minus" }] })
  await using t = await openTestSession({
    script: [],
    deny: ["mcp__calc__minus"],
    client: { port: client.port, servers: ["calc"] },
  })
  const input = { a: 20, b: 3 }
  expect(await t.ask({ type: "call_server", server: "calc", tool: "add", input })).toEqual({
    ok: true,
    value: { content: "23", isError: false },
  })
  const denied = await t.ask({ type: "call_server", server: "calc", tool: "minus", input })
  expect(denied).toMatchObject({ ok: true, value: { isError: true } })
  expect(await t.ask({ type: "call_server", server: "calc", tool: "nothing", input })).toEqual({
    ok: false,
    failure: "There is no tool nothing of an MCP server calc now.",
  })
  const decisions = t.entries().filter((entry) => entry.kind === "decision")
  expect(decisions.map(({ tool, behavior }) => [tool, behavior])).toEqual([
    ["mcp__calc__add", "allow"],
    ["mcp__calc__minus", "deny"],
  ])
})

test("agents use the servers inside the client, through the session that started them", async () => {
  const client = clientWith({ calc: () => [add] })
  await using t = await openTestSession({
    script: [
      calls(use("Task", { description: "add", prompt: "add", subagent_type: "general-purpose" })),
      calls(use("mcp__calc__add", { a: 40, b: 2 })),
      says("42."),
      says("Done."),
    ],
    allow: ["mcp__calc"],
    client: { port: client.port, servers: ["calc"] },
  })
  await t.prompt("go")
  expect(client.methods("calc").filter((method) => method === "initialize")).toHaveLength(1)
  expect(JSON.stringify(t.requests()[2])).toContain("42")
})
