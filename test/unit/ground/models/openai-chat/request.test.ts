/** Conversations as chat completions: whatever was said, and by whom, the strict simulator takes the request. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { AssistantBlock, Message, UserBlock } from "#agent/words/message.ts"
import type { ModelFacts, Request } from "#agent/words/model.ts"
import { openAdmittedIds } from "#ground/models/admitted-ids.ts"
import type { ServerDialect } from "#ground/models/dialect.ts"
import { fitted, fitting } from "#ground/models/fitted.ts"
import { openChatFormat } from "#ground/models/openai-chat/format.ts"
import { openChatEncoder } from "#ground/models/openai-chat/request.ts"
import { seededIds } from "#lib/ids.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { decodeChat } from "#sim/chat/request.ts"
import { checkChat } from "#sim/chat/strict.ts"
import { measure } from "#sim/measure.ts"
import { requestOf } from "../port.ts"

const facts = { id: "local/m", provider: "local", window: 200_000, maxOutput: 8_000, images: true, documents: true }
const dialectOf = (more: Partial<ServerDialect> = {}): ServerDialect => ({
  name: "local",
  idOf: (model) => model.replace("local/", ""),
  factsOf: () => facts,
  ...more,
})
const decoded = (body: Uint8Array): JsonObject => JSON.parse(new TextDecoder().decode(body)) as JsonObject
const sent = (request: Partial<Request>, dialect = dialectOf()): JsonObject => {
  const asked = fitted(requestOf({ model: "local/m", ...request }), dialect.factsOf(request.model ?? "local/m"))
  const body = decoded(openChatEncoder(dialect, () => {}).encode(asked).body)
  const read = decodeChat(body)
  expect(checkChat(read, measure(read))).toBeUndefined()
  return body
}

const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } } as const
const paper = {
  type: "document",
  title: "a.pdf",
  source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
} as const
const calls = (...ids: readonly string[]): Message => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "Look", input: { id } })),
})

test("system, tools and settings", () => {
  const tools = [
    { name: "Look", description: "Looks.", input_schema: { type: "object" } },
    { name: "Late", description: "Later.", input_schema: { type: "object" }, deferred: true as const },
  ]
  expect(sent({ system: [{ text: "One." }, { text: "" }, { text: "Two." }], tools })).toEqual({
    model: "m",
    max_tokens: 1_000,
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: "function", function: { name: "Look", description: "Looks.", parameters: { type: "object" } } }],
    messages: [
      { role: "system", content: "One.\n\nTwo." },
      { role: "user", content: "hello" },
    ],
  })
  expect(sent({ delivery: "whole" }, dialectOf({ limit: "max_completion_tokens" }))).toMatchObject({
    max_completion_tokens: 1_000,
    stream: false,
  })
})

test("results are messages of their own, and what they cannot carry follows", () => {
  const { messages } = sent({
    messages: [
      { role: "user", content: [{ type: "text", text: "look" }, picture, paper] },
      calls("a", "b"),
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "seen" },
          { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "and" }, picture] },
          { type: "text", text: "go on" },
        ],
      },
    ],
  })
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }
  expect(messages).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "look" },
        image,
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } },
      ],
    },
    {
      role: "assistant",
      content: null,
      tool_calls: ["a", "b"].map((id) => ({
        id,
        type: "function",
        function: { name: "Look", arguments: `{"id":"${id}"}` },
      })),
    },
    { role: "tool", tool_call_id: "a", content: "seen" },
    { role: "tool", tool_call_id: "b", content: "and" },
    { role: "user", content: [image, { type: "text", text: "go on" }] },
  ])
})

test("a model that cannot see or read is told that there was something", () => {
  const blind = dialectOf({ factsOf: () => ({ ...facts, images: false, documents: false }) })
  const { messages } = sent({ messages: [{ role: "user", content: [picture, paper] }] }, blind)
  expect(messages).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "[A picture, which this model cannot see.]" },
        { type: "text", text: "[A document (a.pdf), which this model cannot read.]" },
      ],
    },
  ])
})

describe("reasoning", () => {
  const thought = (by: string, value: JsonObject): Message => ({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", proof: { by, value } },
      { type: "text", text: "So." },
    ],
  })
  const back = (message: Message): unknown => {
    const { messages } = sent({ messages: [{ role: "user", content: [{ type: "text", text: "?" }] }, message] })
    return Array.isArray(messages) ? messages[1] : undefined
  }
  test("goes back to the provider that wants it, as it came", () => {
    expect(back(thought("local", { field: "reasoning_content" }))).toEqual({
      role: "assistant",
      content: "So.",
      reasoning_content: "hm",
    })
    const details = [{ type: "reasoning.text", text: "hm", signature: "s" }]
    expect(back(thought("local", { details }))).toEqual({
      role: "assistant",
      content: "So.",
      reasoning_details: details,
    })
  })
  test("of another provider is never sent", () => {
    expect(back(thought("anthropic", { field: "reasoning_content" }))).toEqual({ role: "assistant", content: "So." })
  })
})

test("effort in the terms of the server", () => {
  const thinking = dialectOf({
    factsOf: () => ({ ...facts, thinks: { efforts: ["low", "medium", "high"], byDefault: true } }),
  })
  const asked = { thinking: { type: "auto", effort: "max" } } as const
  expect(sent(asked, { ...thinking, effort: "reasoning_effort" })).toMatchObject({ reasoning_effort: "high" })
  expect(sent(asked, { ...thinking, effort: "reasoning" })).toMatchObject({ reasoning: { effort: "high" } })
  expect(sent(asked, thinking)).not.toHaveProperty("reasoning_effort")
  expect(sent(asked, dialectOf({ effort: "reasoning_effort" }))).not.toHaveProperty("reasoning_effort")
  const off = { thinking: { type: "off" } } as const
  expect(sent(off, { ...thinking, effort: "reasoning_effort" })).toMatchObject({ reasoning_effort: "none" })
  expect(sent(off, { ...thinking, effort: "reasoning" })).toMatchObject({ reasoning: { enabled: false } })
  const always = dialectOf({
    effort: "reasoning_effort",
    factsOf: () => ({ ...facts, thinks: { efforts: ["low"], byDefault: true, stops: "never" } }),
  })
  expect(sent(off, always)).toMatchObject({ reasoning_effort: "low" })
})

test("one call at a time is asked for where the model makes no more, and only beside tools", () => {
  const one = dialectOf({ factsOf: () => ({ ...facts, parallelCalls: "never" }) })
  const tools = [{ name: "Look", description: "Looks.", input_schema: { type: "object" } }]
  expect(sent({ tools }, one)).toMatchObject({ parallel_tool_calls: false })
  expect(sent({}, one)).not.toHaveProperty("parallel_tool_calls")
})

test("ids as Mistral takes them, the same for a call and its result", () => {
  const messages: Message[] = [
    { role: "user", content: [{ type: "text", text: "look" }] },
    calls("toolu_abcdefghijklmnopqrstuvwxyz"),
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_abcdefghijklmnopqrstuvwxyz", content: "x" }] },
  ]
  const body = JSON.stringify(sent({ messages }, dialectOf({ callIds: "short" })).messages)
  const ids = [...body.matchAll(/"(?:id|tool_call_id)":"([^"]+)"/g)].map(([, id = ""]) => id)
  expect(ids).toHaveLength(2)
  expect(new Set(ids).size).toBe(1)
  expect(ids[0]).toMatch(/^[a-zA-Z0-9]{9}$/)
})

/** Conversations of any provider: thinking with foreign proofs, long ids, pictures in results, and more. */
const conversation: fc.Arbitrary<readonly Message[]> = fc
  .array(
    fc.record({
      text: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
      thinking: fc.option(fc.constantFrom("anthropic", "local", "gemini"), { nil: undefined }),
      calls: fc.array(fc.record({ media: fc.boolean(), long: fc.boolean(), text: fc.string() }), { maxLength: 3 }),
      then: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((turns) => {
    const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "begin" }] }]
    for (const [i, turn] of turns.entries()) {
      const id = (k: number, long: boolean): string => `toolu_${i}_${k}${long ? "x".repeat(50) : ""}`
      const content: AssistantBlock[] = [
        ...(turn.thinking
          ? [
              {
                type: "thinking" as const,
                thinking: "hm",
                proof: { by: turn.thinking, value: { field: "reasoning_content" } },
              },
            ]
          : []),
        ...(turn.text ? [{ type: "text" as const, text: turn.text }] : []),
        ...turn.calls.map(({ long }, k) => ({
          type: "tool_use" as const,
          id: id(k, long),
          name: "Look",
          input: { k },
        })),
      ]
      const results: UserBlock[] = turn.calls.map(({ media, long, text }, k) => ({
        type: "tool_result",
        tool_use_id: id(k, long),
        content: media ? [{ type: "text", text }, picture] : text,
      }))
      messages.push({ role: "assistant", content })
      messages.push({ role: "user", content: [...results, { type: "text", text: turn.then ?? "go on" }] })
    }
    return messages
  })

const abilities: fc.Arbitrary<ModelFacts> = fc
  .record({ images: fc.boolean(), documents: fc.boolean(), tools: fc.boolean(), parallelCalls: fc.boolean() })
  .map(({ images, documents, tools, parallelCalls }) => ({
    ...facts,
    images,
    documents,
    ...(!tools && { tools: "never" as const }),
    ...(!parallelCalls && { parallelCalls: "never" as const }),
  }))

const kinds = (body: JsonObject): string => JSON.stringify(body.messages)

test("whatever was said, and whichever models take turns, a request is valid, fits its model, and is encoded as if it were the first", () => {
  fc.assert(
    fc.property(
      conversation,
      fc.constantFrom<ServerDialect["caching"]>(undefined, "marks"),
      abilities,
      abilities,
      (messages, caching, one, other) => {
        const dialect = dialectOf({
          ...(caching && { caching }),
          factsOf: (model) => (model === "local/1" ? one : other),
        })
        const system = [{ text: "Be brief." }]
        const ids = {
          toolIds: openAdmittedIds(seededIds(1), "toolu"),
          messageIds: openAdmittedIds(seededIds(1), "msg"),
        }
        const format = fitting(openChatFormat(dialect, ids), dialect.factsOf)
        for (let end = 1; end <= messages.length; end += 2)
          for (const [model, abilitiesOf] of [
            ["local/1", one],
            ["local/2", other],
          ] as const) {
            const part = messages.slice(0, end)
            const body = decoded(format.encode(requestOf({ model, system, messages: part })).body)
            expect(body).toEqual(sent({ model, system, messages: part }, { ...dialect, factsOf: () => abilitiesOf }))
            if (abilitiesOf.images === false) expect(kinds(body)).not.toContain("image_url")
            if (abilitiesOf.tools === "never") expect(kinds(body)).not.toContain("tool_call")
            if (abilitiesOf.parallelCalls === "never") expect(mostCalls(body)).toBeLessThan(2)
          }
      },
    ),
    { numRuns: 60 },
  )
})

const mostCalls = ({ messages }: JsonObject): number =>
  Math.max(
    ...(Array.isArray(messages) ? messages : []).map((message) =>
      isObject(message) && Array.isArray(message.tool_calls) ? message.tool_calls.length : 0,
    ),
  )
