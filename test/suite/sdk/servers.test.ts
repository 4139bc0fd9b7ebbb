/** MCP servers inside the client and outside of it, and answers as data. */

import { expect } from "bun:test"
import { createSdkMcpServer as create02, tool as tool02 } from "claude-agent-sdk-0.2"
import { createSdkMcpServer as create03, tool as tool03 } from "claude-agent-sdk-0.3"
import { join } from "node:path"
import { z } from "zod"
import { calls, use } from "../../kit/script.ts"
import { openChat } from "./chat.ts"
import { type Message, openWorld, resultOf, type Version, withBoth } from "./drive.ts"

const made = {
  "0.3": { create: create03, tool: tool03 },
  "0.2": { create: create02 as unknown as typeof create03, tool: tool02 as unknown as typeof tool03 },
}

/** A server in this very process, with one tool that counts. */
function counting(version: Version) {
  const { create, tool } = made[version]
  const counted: number[] = []
  const add = tool("add", "Adds a number to the sum", { n: z.number() }, ({ n }) => {
    counted.push(n)
    const sum = counted.reduce((all, one) => all + one, 0)
    return Promise.resolve({ content: [{ type: "text" as const, text: `The sum is ${sum}.` }] })
  })
  return { counted, server: create({ name: "counter", version: "1.0.0", tools: [add] }) }
}

const modules = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol")
/** The official one, as a process of its own. */
const everything = { command: "node", args: [join(modules, "server-everything/dist/index.js"), "stdio"] }

const isResult = ({ type }: Message): boolean => type === "result"

withBoth(
  "a server inside the client: its tools are offered, asked about, and called in the client",
  async (version) => {
    const { counted, server } = counting(version)
    await using world = await openWorld(version, {
      scenario: [
        calls(use("mcp__counter__add", { n: 2 })),
        calls(use("mcp__counter__add", { n: 40 })),
        "The sum is 42.",
      ],
      env: { ENABLE_TOOL_SEARCH: "false" },
    })
    const asked: string[] = []
    const told = await world.run("add up", {
      mcpServers: { counter: server },
      canUseTool(tool, input) {
        asked.push(tool)
        return Promise.resolve({ behavior: "allow", updatedInput: input })
      },
    })
    expect(told.messages[0]).toMatchObject({ mcp_servers: [{ name: "counter", status: "connected" }] })
    expect((told.messages[0] as unknown as { tools: string[] }).tools).toContain("mcp__counter__add")
    expect(asked).toEqual(["mcp__counter__add", "mcp__counter__add"])
    expect(counted).toEqual([2, 40])
    expect(JSON.stringify(world.requests().at(-1)?.body)).toContain("The sum is 42.")
    expect(resultOf(told).result).toBe("The sum is 42.")
  },
)

withBoth("servers are set, looked at and switched off while the session is open", async (version) => {
  const { server } = counting(version)
  await using world = await openWorld(version, { scenario: ["One.", "Two."], env: { ENABLE_TOOL_SEARCH: "false" } })
  const chat = openChat(world)
  chat.stream.say("hello")
  await chat.next(isResult)
  expect(await chat.query.setMcpServers({ all: everything, counter: server })).toMatchObject({
    added: ["all", "counter"],
    removed: [],
    errors: {},
  })
  chat.stream.say("bye")
  await chat.next(isResult)
  const status = await chat.query.mcpServerStatus()
  expect(status.map(({ name, status: how }) => ({ name, how })).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
    [
      { name: "all", how: "connected" },
      { name: "counter", how: "connected" },
    ],
  )
  await chat.query.toggleMcpServer("all", false)
  expect((await chat.query.mcpServerStatus()).find(({ name }) => name === "all")).toMatchObject({ status: "disabled" })
  expect(await chat.query.setMcpServers({})).toMatchObject({ added: [], errors: {} })
  await chat.end()
})

const schema = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer" } },
  required: ["name", "age"],
  additionalProperties: false,
}

withBoth("an answer as data: a wrong one is sent back, the right one ends the turn", async (version) => {
  await using world = await openWorld(version, {
    scenario: [
      calls(use("StructuredOutput", { name: "Ada", age: "many" })),
      calls(use("StructuredOutput", { name: "Ada", age: 36 })),
    ],
  })
  const told = await world.run("who?", { outputFormat: { type: "json_schema", schema } })
  expect(resultOf(told)).toMatchObject({
    subtype: "success",
    structured_output: { name: "Ada", age: 36 },
    result: '{"name":"Ada","age":36}',
  })
  expect(world.requests()).toHaveLength(2)
  expect(JSON.stringify(world.requests()[1]?.body)).toContain("/age")
})

withBoth("five wrong answers are enough", async (version) => {
  await using world = await openWorld(version, {
    scenario: { replies: [{ ...calls(use("StructuredOutput", { name: 1 })), times: "always" as const }] },
  })
  const told = await world.run("who?", { outputFormat: { type: "json_schema", schema } })
  expect(resultOf(told)).toMatchObject({ subtype: "error_max_structured_output_retries", is_error: true })
})

withBoth("prompts of servers are among the commands that the client is told first", async (version) => {
  await using world = await openWorld(version, { scenario: ["Done."] })
  const { create } = made[version]
  const poet = create({ name: "poet" })
  poet.instance.registerPrompt("rhyme", { description: "Makes rhymes" }, () => ({ messages: [] }))
  const outside = { command: process.execPath, args: [world.place.write("server.js", ballads)] }
  const chat = openChat(world, { mcpServers: { outside, poet: poet as never } })
  const names = (await chat.query.supportedCommands()).map(({ name }) => name)
  expect(names).toContain("mcp__outside__ballad")
  expect(names).toContain("mcp__poet__rhyme")
  await chat.end()
})

/** As a process of its own: it has one prompt, and takes a moment to connect. */
const ballads = `
let left = ""
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { prompts: {} }, serverInfo: { name: "b", version: "1" } }),
  "prompts/list": () => ({ prompts: [{ name: "ballad", description: "Makes ballads" }] }),
}
process.stdin.on("data", (more) => {
  const lines = (left + more).split("\\n")
  left = lines.pop()
  for (const line of lines.filter(Boolean)) {
    const { id, method, params } = JSON.parse(line)
    const answer = () => console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.(params) ?? {} }))
    if (id !== undefined) setTimeout(answer, method === "initialize" ? 500 : 0)
  }
})
`
