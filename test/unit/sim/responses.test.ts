/** What the simulator's Responses face refuses, each with the field that the real service names. */

import { describe, expect, test } from "bun:test"
import { isObject, type JsonObject } from "#lib/json.ts"
import { eventsIn, jsonOf, open, post } from "./open.ts"

const keyed = { authorization: "Bearer any" }
const ask: JsonObject = { model: "gpt-5", input: "hello", store: false }
const tool: JsonObject = { type: "function", name: "Look", parameters: { type: "object" }, strict: false }
const user: JsonObject = { type: "message", role: "user", content: "look" }
const said: JsonObject = { type: "message", role: "assistant", content: "So." }
const call: JsonObject = { type: "function_call", call_id: "call_1", name: "Look", arguments: "{}" }
const output: JsonObject = { type: "function_call_output", call_id: "call_1", output: "seen" }
const thought: JsonObject = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" }
const without = (item: JsonObject, field: string): JsonObject =>
  Object.fromEntries(Object.entries(item).filter(([name]) => name !== field))
const part = (content: JsonObject): JsonObject => ({ ...user, content: [content] })

async function errorFor(body: JsonObject, headers: Record<string, string> = keyed) {
  await using sim = await open({ scenario: { replies: [{ content: "Good day." }] } })
  const answer = await post(sim.url, { ...ask, ...body }, headers, "/v1/responses")
  const { error } = await jsonOf(answer)
  return { status: answer.status, ...(isObject(error) && error) }
}

test("a conversation with everything in it is taken", async () => {
  const picture = { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" }
  const file = { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" }
  const body = {
    instructions: "Be brief.",
    tools: [tool],
    parallel_tool_calls: true,
    tool_choice: "auto",
    max_output_tokens: 16,
    reasoning: { effort: "high", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    text: { format: { type: "json_schema", name: "x", schema: {}, strict: true }, verbosity: "low" },
    prompt_cache_key: "k",
    input: [
      { role: "developer", content: "Now." },
      { ...user, content: [{ type: "input_text", text: "look" }, picture, file] },
      thought,
      { ...said, phase: "commentary" },
      call,
      { ...call, call_id: "call_2", id: "fc_2" },
      { ...output, call_id: "call_2", output: [picture] },
      output,
      { ...said, content: [{ type: "output_text", text: "So.", annotations: [] }], id: "msg_1", status: "completed" },
      user,
    ],
  }
  expect(await errorFor(body)).toEqual({ status: 200 })
})

test("a key is needed", async () => {
  expect(await errorFor({}, {})).toMatchObject({ status: 401 })
})

describe("the request", () => {
  const rows: readonly (readonly [string, JsonObject])[] = [
    ["max_tokens", { max_tokens: 5 }],
    ["model", { model: "" }],
    ["max_output_tokens", { max_output_tokens: 15 }],
    ["store", { store: "no" }],
    ["stream_options", { stream_options: { include_obfuscation: false } }],
    ["prompt_cache_key", { prompt_cache_key: "k".repeat(65) }],
    ["instructions", { instructions: ["x"] }],
    ["include", { include: ["everything"] }],
    ["include", { model: "gpt-4.1", include: ["reasoning.encrypted_content"] }],
    ["include", { model: "gpt-5-chat-latest", include: ["reasoning.encrypted_content"] }],
    ["reasoning.effort", { model: "gpt-4o", reasoning: { effort: "low" } }],
    ["reasoning.effort", { reasoning: { effort: "huge" } }],
    ["reasoning.summary", { reasoning: { summary: "long" } }],
    ["reasoning.budget", { reasoning: { budget: 1 } }],
    ["tools[0].type", { tools: [{ ...tool, type: "tool" }] }],
    ["tools[0].name", { tools: [{ ...tool, name: "a b" }] }],
    ["tools[1].name", { tools: [tool, tool] }],
    ["tools[0].parameters", { tools: [{ ...tool, parameters: {} }] }],
    [
      "tools[0].parameters",
      { tools: [{ ...tool, strict: true, parameters: { type: "object", properties: { a: {} } } }] },
    ],
    ["tools[0].function", { tools: [{ ...tool, function: {} }] }],
    ["tool_choice", { tool_choice: "required" }],
    ["tool_choice", { tools: [tool], tool_choice: { type: "function", name: "Other" } }],
    ["text.format", { text: { format: { type: "json_schema", schema: {} } } }],
    ["previous_response_id", { previous_response_id: "resp_1" }],
    ["input", { input: [] }],
  ]
  test.each(rows)("%s: %j", async (param, body) => {
    expect(await errorFor(body)).toMatchObject({ status: 400, param })
  })
})

describe("its items", () => {
  const rows: readonly (readonly [string, string, readonly JsonObject[]])[] = [
    ["input[0].type", "must be message", [{ type: "item_reference", id: "rs_1" }]],
    ["input[0].role", "must be user", [{ role: "tool", content: "x" }]],
    ["input[0].name", "unknown field", [{ ...user, name: "x" }]],
    ["input[0].phase", "unknown field", [{ ...user, phase: "commentary" }]],
    ["input[0].id", "must begin with msg", [{ ...user, id: "x" }]],
    ["input[0].content[0].type", "must be input_text", [part({ type: "text", text: "x" })]],
    ["input[0].content[0].type", "must be output_text", [{ ...said, content: [{ type: "input_text", text: "x" }] }]],
    ["input[0].content[0].image_url", "picture", [part({ type: "input_image", image_url: "AAAA", detail: "auto" })]],
    [
      "input[0].content[0].filename",
      "required",
      [part({ type: "input_file", file_data: "data:application/pdf;base64,A" })],
    ],
    ["input[0].call_id", "at most 64", [{ ...call, call_id: "x".repeat(65) }]],
    ["input[0].arguments", "JSON object", [{ ...call, arguments: "{" }]],
    ["input[0].name", "letters", [{ ...call, name: "a.b" }]],
    ["input", "No tool output found for function call call_1.", [user, call, user]],
    ["input", "No tool call found for function call output with call_id call_1.", [user, output]],
    ["input", "No tool call found", [user, output, call]],
    ["input", "No tool call found", [user, call, output, output]],
    ["input[3].call_id", "was used before", [user, call, output, call, output]],
    ["input[0].summary", "required", [without(thought, "summary"), said]],
    ["input[0].id", "string", [without(thought, "id"), said]],
    ["input[0].content", "too long", [{ ...thought, content: [{ type: "reasoning_text", text: "x" }] }, said]],
    ["input", "without its required following item", [user, thought, user]],
    ["input", "without its required following item", [user, thought]],
    ["input", "Duplicate item", [thought, said, thought, said]],
  ]
  test.each(rows)("%s %s", async (param, message, input) => {
    expect(await errorFor({ input })).toMatchObject({ status: 400, param, message: expect.stringContaining(message) })
  })

  test("reasoning without its encrypted content is just a name; of another item it cannot be read", async () => {
    const bare = [user, without(thought, "encrypted_content"), said]
    expect(await errorFor({ input: bare })).toMatchObject({
      status: 404,
      message: expect.stringContaining("Items are not persisted when `store` is set to false"),
    })
    expect(await errorFor({ input: [user, { ...thought, encrypted_content: "sim.x.y" }, said] })).toMatchObject({
      status: 400,
      code: "invalid_encrypted_content",
    })
  })
})

test("reasoning is summarized and encrypted only where that was asked for", async () => {
  await using sim = await open({ scenario: () => ({ content: [{ thinking: "hm" }, "So."] }) })
  const first = async (more: JsonObject): Promise<unknown> => {
    const { output: items } = await jsonOf(await post(sim.url, { ...ask, ...more }, keyed, "/v1/responses"))
    return Array.isArray(items) ? items[0] : undefined
  }
  const plain = { type: "reasoning", id: expect.stringMatching(/^rs_/), summary: [] }
  expect(await first({})).toEqual(plain)
  expect(await first({ reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] })).toEqual({
    ...plain,
    summary: [{ type: "summary_text", text: "hm" }],
    encrypted_content: expect.stringMatching(/^sim\./),
  })
})

test("the prompt is cached by itself, and a stream ends with the usage", async () => {
  await using sim = await open({ scenario: () => ({ content: "So." }) })
  const instructions = "Be brief. ".repeat(1_000)
  const usage = async (): Promise<unknown> => {
    const answer = await post(sim.url, { ...ask, instructions, stream: true }, keyed, "/v1/responses")
    const last = eventsIn(await answer.text()).at(-1)?.data
    expect(last?.type).toBe("response.completed")
    return isObject(last?.response) ? last.response.usage : undefined
  }
  expect(await usage()).toMatchObject({ input_tokens_details: { cached_tokens: 0 } })
  const again = await usage()
  expect(again).toMatchObject({ input_tokens_details: { cached_tokens: expect.any(Number), cache_write_tokens: 0 } })
  expect(JSON.stringify(again)).not.toContain('"cached_tokens":0')
})
