/** Deferred tools at the simulator: what is refused, and when they become part of what is kept. */

import { expect, test } from "bun:test"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import { measure, tokensOf } from "#sim/measure.ts"
import { decodeRequest } from "#sim/request.ts"
import { hello, jsonOf, open, post } from "./open.ts"

const tool = (name: string, more: JsonObject = {}): JsonObject => ({ name, input_schema: { type: "object" }, ...more })
const later = (name: string, more: JsonObject = {}): JsonObject => tool(name, { defer_loading: true, ...more })
const reference = (name: JsonValue): JsonObject => ({ type: "tool_reference", tool_name: name })
const mark = { cache_control: { type: "ephemeral" } }

const loading = (tools: readonly JsonObject[], content: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  ...hello,
  tools,
  messages: [
    { role: "user", content: "look" },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "ToolSearch", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content, ...more }] },
  ],
})

const refused: readonly (readonly [what: string, body: JsonObject, message: RegExp])[] = [
  ["all tools deferred", { ...hello, tools: [later("a"), later("b")] }, /^tools: all tools are deferred/],
  [
    "a deferred tool with a mark",
    { ...hello, tools: [tool("s"), later("a", mark)] },
    /^tools\.1\.custom: .*cache_control/,
  ],
  [
    "deferring by a word",
    { ...hello, tools: [tool("s"), tool("a", { defer_loading: "yes" })] },
    /defer_loading: must be/,
  ],
  [
    "a model that cannot",
    { ...hello, model: "claude-3-7-sonnet", tools: [tool("s"), later("a")] },
    /claude-3-7-sonnet cannot load tools later/,
  ],
  ["a reference to no tool", loading([tool("s")], [reference("a")]), /^Tool reference a is not among the tools/],
  [
    "a reference to a listed tool",
    loading([tool("s"), tool("a")], [reference("a")]),
    /a is to a tool that is not deferred/,
  ],
  [
    "a reference without a name",
    loading([tool("s"), later("a")], [{ type: "tool_reference" }]),
    /tool_name: field required/,
  ],
  ["a reference to an empty name", loading([tool("s"), later("a")], [reference("")]), /tool_name|not among/],
  ["a reference with more fields", loading([tool("s"), later("a")], [{ ...reference("a"), id: "1" }]), /unknown field/],
  ["a reference in an error", loading([tool("s"), later("a")], [reference("a")], { is_error: true }), /only text/],
  [
    "a reference outside of a result",
    { ...hello, tools: [tool("s"), later("a")], messages: [{ role: "user", content: [reference("a")] }] },
    /only in a tool_result/,
  ],
]

for (const [what, body, message] of refused)
  test(`refused: ${what}`, async () => {
    await using simulator = await open()
    const response = await post(simulator.url, body)
    expect(response.status).toBe(400)
    const { error } = await jsonOf(response)
    expect((error as JsonObject).message).toMatch(message)
  })

test("accepted: one tool that is not deferred, and references to those that are", async () => {
  await using simulator = await open()
  for (const body of [
    { ...hello, tools: [tool("s"), later("a")] },
    { ...hello, tools: [tool("s", mark), later("a"), tool("b", { defer_loading: false })] },
    loading([tool("s"), later("a"), later("b")], [reference("a"), reference("b")]),
  ])
    expect((await post(simulator.url, body)).status).toBe(200)
})

const segmentsOf = (body: JsonObject) => measure(decodeRequest(body))
const hashes = (body: JsonObject) => segmentsOf(body).map(({ hash }) => hash)

test("a deferred tool is no part of what is kept until a result refers to it, and then its definition is", () => {
  const about = { description: "x".repeat(4_000) }
  const plain = { ...hello, tools: [tool("s")] }
  expect(hashes({ ...plain, tools: [tool("s"), later("a", about)] })).toEqual(hashes(plain))
  const loaded = loading([tool("s"), later("a", about)], [reference("a")])
  const other = loading([tool("s"), later("a", { description: "other" })], [reference("a")])
  expect(hashes(loaded).slice(0, -1)).toEqual(hashes(other).slice(0, -1))
  expect(hashes(loaded).at(-1)).not.toEqual(hashes(other).at(-1))
  expect(tokensOf(segmentsOf(loaded)) - tokensOf(segmentsOf(other))).toBeGreaterThan(900)
  // What is listed is always part of it.
  expect(hashes({ ...plain, tools: [tool("s"), tool("a", about)] })).not.toEqual(hashes(plain))
})

test("the watch over the prefix sees a changed listed tool and a changed loaded one, and nothing in between", async () => {
  await using simulator = await open({ scenario: { replies: [{ content: "ok", times: "always" }] } })
  const ask = (body: JsonObject): Promise<Response> => post(simulator.url, body)
  const grown = (body: JsonObject): JsonObject => ({
    ...body,
    messages: [
      ...(body.messages as readonly JsonObject[]),
      { role: "assistant", content: "so" },
      { role: "user", content: "and?" },
    ],
  })
  const begun = loading([tool("s"), later("a")], [reference("a")])
  await ask(begun)
  await ask(grown({ ...begun, tools: [tool("s"), later("a"), later("b")] }))
  expect(simulator.stats().cacheBreaks).toEqual([])
  await ask(grown({ ...begun, tools: [tool("s"), later("a", { description: "other" })] }))
  await ask(grown({ ...begun, tools: [tool("s", { description: "other" }), later("a", { description: "other" })] }))
  expect(simulator.stats().cacheBreaks.map(({ changed, message }) => [changed, message])).toEqual([
    ["message", 2],
    ["tools", undefined],
  ])
})
