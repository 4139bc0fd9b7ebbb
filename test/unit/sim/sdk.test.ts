/** The official client library, unmodified, against the simulator: what works there works with the real thing. */

import Anthropic from "@anthropic-ai/sdk"
import { expect, test } from "bun:test"
import type { Simulator } from "#sim/server.ts"
import { open } from "./open.ts"

const clientOf = (sim: Simulator): Anthropic => new Anthropic({ baseURL: sim.url, apiKey: "any", maxRetries: 0 })
const ask = { model: "claude-sonnet-5-5", max_tokens: 1_000, messages: [{ role: "user" as const, content: "hello" }] }
const tools = [{ name: "Read", description: "Reads.", input_schema: { type: "object" as const } }]

test("an answer that does not stream", async () => {
  await using sim = await open({ scenario: { replies: [{ content: "Good day." }] } })
  const message = await clientOf(sim).messages.create(ask)
  expect(message).toMatchObject({
    type: "message",
    role: "assistant",
    model: "claude-sonnet-5-5",
    content: [{ type: "text", text: "Good day." }],
    stop_reason: "end_turn",
    usage: { output_tokens: 3, cache_read_input_tokens: 0 },
  })
  // oxlint-disable-next-line no-underscore-dangle -- the library's own name for it.
  expect(message._request_id).toStartWith("req_")
})

test("a stream with thinking, text and calls folds into the message it was", async () => {
  const text = "One moment, «please»: 日本語 and an emoji 🙂 and\n\n  some  spaces.\n"
  const input = { file_path: 'a "quoted" path.ts', limit: 3, deep: { list: [1, null, true] } }
  await using sim = await open({
    scenario: {
      replies: [{ content: [{ thinking: "Let me see." }, text, { tool: "Read", input }, { tool: "Read", input: {} }] }],
    },
  })
  const stream = clientOf(sim).messages.stream({ ...ask, tools })
  const kinds = new Set<string>()
  for await (const event of stream) kinds.add(event.type === "content_block_delta" ? event.delta.type : event.type)
  expect(await stream.finalMessage()).toMatchObject({
    content: [
      { type: "thinking", thinking: "Let me see.", signature: expect.stringMatching(/./) },
      { type: "text", text },
      { type: "tool_use", name: "Read", input },
      { type: "tool_use", name: "Read", input: {} },
    ],
    stop_reason: "tool_use",
  })
  expect([...kinds]).toEqual([
    "message_start",
    "content_block_start",
    "thinking_delta",
    "signature_delta",
    "content_block_stop",
    "text_delta",
    "input_json_delta",
    "message_delta",
    "message_stop",
  ])
})

test("a search at the provider folds into its call, its result and a text with citations", async () => {
  const page = { title: "Bun", url: "https://bun.sh/", page_age: "2 days ago" }
  await using sim = await open({
    scenario: {
      replies: [
        {
          content: [
            { search: "bun", results: [page] },
            { text: "It runs.", cites: [page] },
          ],
        },
      ],
    },
  })
  const stream = clientOf(sim).messages.stream({
    ...ask,
    tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 8 }],
  })
  expect(await stream.finalMessage()).toMatchObject({
    content: [
      { type: "server_tool_use", name: "web_search", input: { query: "bun" } },
      { type: "web_search_tool_result", content: [{ type: "web_search_result", ...page }] },
      { type: "text", text: "It runs.", citations: [{ type: "web_search_result_location", url: page.url }] },
    ],
    usage: { server_tool_use: { web_search_requests: 1 } },
  })
})

test("a whole round: the call's result goes back, thinking and all, and is taken", async () => {
  await using sim = await open({
    scenario: {
      replies: [{ content: [{ thinking: "Hm." }, { tool: "Read", input: { file_path: "a" } }] }, { content: "Done." }],
    },
  })
  const client = clientOf(sim)
  const first = await client.messages.create({ ...ask, tools })
  const call = first.content.find((block) => block.type === "tool_use")
  const second = await client.messages.create({
    ...ask,
    tools,
    messages: [
      ...ask.messages,
      { role: "assistant", content: first.content },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "text" }] },
    ],
  })
  expect(second.content).toMatchObject([{ text: "Done." }])
})

test("the beta door, counting tokens, and the models", async () => {
  await using sim = await open({ scenario: { replies: [{ content: "beta" }] } })
  const client = clientOf(sim)
  expect((await client.beta.messages.create(ask)).content).toMatchObject([{ text: "beta" }])
  expect(
    (await client.messages.countTokens({ model: ask.model, messages: ask.messages })).input_tokens,
  ).toBeGreaterThan(1)
  const all: string[] = []
  for await (const model of client.models.list({ limit: 2 })) all.push(model.id)
  expect(all).toContain("sim")
  expect(all.length).toBeGreaterThan(2)
  expect((await client.models.retrieve("claude-sonnet-5-5")).display_name).toContain("Sonnet")
  const missing: unknown = await client.models.retrieve("nobody").catch((caught: unknown) => caught)
  expect(missing).toBeInstanceOf(Anthropic.NotFoundError)
})

const failures: readonly (readonly [
  string,
  Parameters<Simulator["setFaults"]>[0],
  new (...given: never[]) => Error,
])[] = [
  ["429", ["rate_limit"], Anthropic.RateLimitError],
  ["529", ["overloaded"], Anthropic.InternalServerError],
  ["500", ["server_error"], Anthropic.InternalServerError],
  ["400", ["too_long"], Anthropic.BadRequestError],
  ["401", ["unauthorized"], Anthropic.AuthenticationError],
  ["a reset", ["reset_before_headers"], Anthropic.APIConnectionError],
  ["an error in the stream", ["error_event"], Anthropic.APIError],
]

test.each(failures)("%s becomes the library's own error", async (what, faults, kind) => {
  await using sim = await open({ scenario: { replies: [{ content: "a long enough answer" }] } })
  sim.setFaults(faults)
  const error: unknown = await clientOf(sim)
    .messages.stream(ask)
    .finalMessage()
    .catch((caught: unknown) => caught)
  if (what === "529") expect(error).toMatchObject({ status: 529, type: "overloaded_error" })
  else expect(error).toBeInstanceOf(kind)
})

test("a strict refusal is a bad request with the place in its message", async () => {
  await using sim = await open({ scenario: { replies: [] } })
  const error: unknown = await clientOf(sim)
    .messages.create({ ...ask, messages: [{ role: "user", content: [] }] })
    .catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(Anthropic.BadRequestError)
  expect(error).toMatchObject({ type: "invalid_request_error", message: expect.stringContaining("messages.0") })
})

test("its own retries see the fault once and then the reply", async () => {
  await using sim = await open({ scenario: { replies: [{ content: "at last" }] } })
  sim.setFaults([{ name: "rate_limit", retryAfterSeconds: 0 }])
  const client = new Anthropic({ baseURL: sim.url, apiKey: "any", maxRetries: 2 })
  expect((await client.messages.create(ask)).content).toMatchObject([{ text: "at last" }])
  expect(sim.stats()).toMatchObject({ requests: 2, faults: 1, replies: 1 })
})
