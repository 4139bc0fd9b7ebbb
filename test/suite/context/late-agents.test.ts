/** Agents have the late tools of whoever started them, as far as they may use them, and one that is forked begins with the same bytes. */

import { expect, test } from "bun:test"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { lateServer } from "../../kit/late-server.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, use } from "../../kit/script.ts"

const listOf = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

const listed = (body: JsonObject | undefined): readonly JsonObject[] =>
  listOf(body?.tools).filter((tool) => tool.defer_loading !== true)

const namesOf = (body: JsonObject | undefined): readonly string[] =>
  listOf(body?.tools)
    .map(({ name }) => String(name))
    .filter((name) => name === "ToolSearch" || name.startsWith("mcp__"))

const start = (type: string) => use("Task", { description: "some work", prompt: "scout it", subagent_type: type })

const definitions = {
  all: { agentType: "all", whenToUse: "always", systemPrompt: "You scout.", source: "built-in" },
  reader: { agentType: "reader", whenToUse: "to read", systemPrompt: "You read.", source: "built-in", tools: ["Read"] },
  named: {
    agentType: "named",
    whenToUse: "for the box",
    systemPrompt: "You ask the box.",
    source: "built-in",
    tools: ["Read", "mcp__box"],
  },
  forked: {
    agentType: "forked",
    whenToUse: "to go on aside",
    systemPrompt: "You go on.",
    source: "built-in",
    forkContext: true,
  },
} as const

/** Starts one agent, which asks the box, after a tool was loaded: what each was first asked with, and what reached the server. */
async function run(type: keyof typeof definitions) {
  const server = lateServer({ guidance: "Ask politely." })
  await using t = await openTestSession({
    script: (request) => {
      const last = JSON.stringify(request.messages.at(-1))
      if (last.includes("scout it")) return calls(use("mcp__box__echo", { word: type }))
      if (last.includes("begin")) return calls(use("ToolSearch", { query: "select:echo" }))
      if (last.includes("tool_reference")) return calls(start(type))
      return says("Done.")
    },
    kits: [server.kit],
    agents: Object.values(definitions),
  })
  await t.prompt("hello")
  server.offer({ echo: "Says a word again" })
  expect(await t.prompt("begin")).toEqual({ reason: "completed" })
  const bodies = t.simulator.requests.flatMap(({ body }) => (isObject(body) ? [body] : []))
  const agent = bodies.find(({ messages }) => {
    const last = listOf(messages).at(-1)
    return last?.role === "user" && JSON.stringify(last.content).includes("scout it")
  })
  expect(t.simulator.stats().refusals).toBe(0)
  return { calls: server.calls, agent, parent: bodies[0] }
}

test("an agent that may use everything gets them, from the start", async () => {
  const { calls: asked, agent } = await run("all")
  expect(namesOf(agent)).toEqual(["ToolSearch", "mcp__box__echo"])
  expect(asked).toEqual(["echo all"])
})

test("an agent that may only read gets none of it, not even the search or the advice", async () => {
  const { calls: asked, agent } = await run("reader")
  expect(namesOf(agent)).toEqual([])
  expect(JSON.stringify(agent)).not.toContain("politely")
  expect(asked).toEqual([])
})

test("an agent whose definition names the server has its tools in its list, and no search", async () => {
  const { calls: asked, agent } = await run("named")
  expect(namesOf(agent)).toEqual(["mcp__box__echo"])
  expect(listed(agent).map(({ name }) => name)).toContain("mcp__box__echo")
  expect(asked).toEqual(["echo named"])
})

test("an agent that is forked begins with the very bytes of its parent, and with what was loaded", async () => {
  const { calls: asked, agent, parent } = await run("forked")
  expect(JSON.stringify([listed(agent), agent?.system])).toBe(JSON.stringify([listed(parent), parent?.system]))
  expect(JSON.stringify(agent?.messages)).toContain("tool_reference")
  expect(asked).toEqual(["echo forked"])
})
