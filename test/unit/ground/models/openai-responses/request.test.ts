/** Conversations as Responses requests: whatever was said, and by whom, the strict simulator takes the request. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { AssistantBlock, Message, Proof, UserBlock } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import type { Capabilities, ServerDialect } from "#ground/models/dialect.ts"
import { fitting } from "#ground/models/fitted.ts"
import { openResponsesEncoder } from "#ground/models/openai-responses/request.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { measure } from "#sim/measure.ts"
import { listIn } from "#sim/request.ts"
import { decodeResponses } from "#sim/responses/request.ts"
import { checkResponses } from "#sim/responses/strict.ts"
import { requestOf } from "../port.ts"

const facts: Capabilities = {
  id: "openai/gpt-5",
  provider: "openai",
  window: 200_000,
  maxOutput: 8_000,
  images: true,
  documents: true,
}
const dialectOf = (more: Partial<ServerDialect> = {}): ServerDialect => ({
  name: "openai",
  idOf: (model) => model.replace("openai/", ""),
  factsOf: () => facts,
  ...more,
})
const textOf = (body: Uint8Array): string => new TextDecoder().decode(body)
const decoded = (body: Uint8Array): JsonObject => JSON.parse(textOf(body)) as JsonObject
const refusalOf = (body: JsonObject): unknown => {
  const read = decodeResponses(body)
  return checkResponses(read, measure(read))
}
const sent = (request: Partial<Request>, dialect = dialectOf()): JsonObject => {
  const encoder = openResponsesEncoder(dialect, () => {})
  const body = decoded(encoder.encode(requestOf({ model: "openai/gpt-5", ...request })).body)
  expect(refusalOf(body)).toBeUndefined()
  return body
}
const thinkingDialect = (thinks: NonNullable<Capabilities["thinks"]>): ServerDialect =>
  dialectOf({ factsOf: () => ({ ...facts, thinks }) })

const says = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] })
const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } } as const
const paper = {
  type: "document",
  title: "a.pdf",
  source: { type: "base64", media_type: "application/pdf", data: "AAAA" },
} as const
const proof = (by: string, id = "rs_1"): Proof => ({
  by,
  value: { id, encrypted_content: "gAAA", summary: [{ type: "summary_text", text: "hm" }] },
})
const thought = (by: string, id = "rs_1"): AssistantBlock => ({
  type: "thinking",
  thinking: "hm",
  proof: proof(by, id),
})
const reasoning = (id = "rs_1"): JsonObject => ({
  type: "reasoning",
  id,
  summary: [{ type: "summary_text", text: "hm" }],
  encrypted_content: "gAAA",
})

test("instructions, tools and settings; nothing is stored", () => {
  const tools = [
    { name: "Look", description: "Looks.", input_schema: { type: "object" } },
    { name: "Late", description: "Later.", input_schema: { type: "object" }, deferred: true as const },
  ]
  const body = sent({ system: [{ text: "One." }, { text: "" }, { text: "Two." }], tools })
  expect(body).toEqual({
    model: "gpt-5",
    max_output_tokens: 1_000,
    stream: true,
    store: false,
    prompt_cache_key: expect.stringMatching(/^[0-9a-f]{32}$/),
    reasoning: { effort: "minimal" },
    include: ["reasoning.encrypted_content"],
    tools: [{ type: "function", name: "Look", description: "Looks.", parameters: { type: "object" }, strict: false }],
    parallel_tool_calls: true,
    instructions: "One.\n\nTwo.",
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: "hello" }] }],
  })
  expect(sent({ delivery: "whole", maxTokens: 1 })).toMatchObject({ stream: false, max_output_tokens: 16 })
  expect(sent({})).not.toHaveProperty("parallel_tool_calls")
})

test("the key of the cache is that of the conversation, however long it is, and in another process", () => {
  const key = (...messages: readonly Message[]): unknown => sent({ messages }).prompt_cache_key
  const answer: Message = { role: "assistant", content: [{ type: "text", text: "yes" }] }
  expect(key(says("a"), answer, says("b"))).toEqual(key(says("a")))
  expect(key(says("b"))).not.toEqual(key(says("a")))
})

test("results carry their pictures and files, and come before what the user says", () => {
  const messages: Message[] = [
    { role: "user", content: [{ type: "text", text: "look" }, picture, paper] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look." },
        { type: "tool_use", id: "a", name: "Look", input: { id: 1 } },
        { type: "tool_use", id: "b", name: "No such.tool", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        { type: "text", text: "go on" },
        { type: "tool_result", tool_use_id: "a", content: "seen" },
        { type: "tool_result", tool_use_id: "b", content: [{ type: "text", text: "and" }, picture] },
      ],
    },
  ]
  const image = { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" }
  const file = { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" }
  expect(sent({ messages }).input).toEqual([
    { type: "message", role: "user", content: [{ type: "input_text", text: "look" }, image, file] },
    { type: "message", role: "assistant", content: "I look." },
    { type: "function_call", call_id: "a", name: "Look", arguments: '{"id":1}' },
    { type: "function_call", call_id: "b", name: "No_such_tool", arguments: "{}" },
    { type: "function_call_output", call_id: "a", output: "seen" },
    { type: "function_call_output", call_id: "b", output: [{ type: "input_text", text: "and" }, image] },
    { type: "message", role: "user", content: [{ type: "input_text", text: "go on" }] },
  ])
})

test("a model that cannot see gets no pictures from one that could, in one conversation", () => {
  const blind: Capabilities = { ...facts, id: "openai/blind", images: false }
  const factsOf = (model: string): Capabilities => (model === blind.id ? blind : facts)
  const encoder = fitting(
    openResponsesEncoder(dialectOf({ factsOf }), () => {}),
    factsOf,
  )
  const messages: Message[] = [{ role: "user", content: [picture] }]
  const bodyFor = (model: string): string => textOf(encoder.encode(requestOf({ model, messages })).body)
  for (const model of [facts.id, blind.id, facts.id]) expect(bodyFor(model).includes("AAAA")).toBe(model === facts.id)
})

describe("reasoning", () => {
  const answered = (...content: readonly AssistantBlock[]): JsonValue => {
    const { input } = sent({ messages: [says("?"), { role: "assistant", content }, says("go on")] })
    return listIn(input).slice(1, -1)
  }
  const so: AssistantBlock = { type: "text", text: "So." }
  const said = (more: JsonObject = {}): JsonObject => ({ type: "message", role: "assistant", content: "So.", ...more })

  test("goes back to the provider that made it, as it came, where it was", () => {
    expect(answered(thought("openai"), so)).toEqual([reasoning(), said()])
    expect(answered(thought("openai"), so, thought("openai", "rs_2"), so)).toEqual([
      reasoning(),
      said(),
      reasoning("rs_2"),
      said(),
    ])
  })
  test("of another maker is never sent", () => {
    for (const by of ["anthropic", "gemini", "openai-chat"]) expect(answered(thought(by), so)).toEqual([said()])
    expect(answered({ type: "thinking", thinking: "hm" }, so)).toEqual([said()])
    expect(answered({ type: "redacted_thinking", proof: { by: "anthropic", value: "x" } }, so)).toEqual([said()])
  })
  test("that led to nothing is left out, and so is a message of nothing else", () => {
    expect(answered(so, thought("openai"))).toEqual([said()])
    expect(answered(thought("openai"))).toEqual([])
    expect(answered(thought("anthropic"))).toEqual([])
  })
  test("what the provider calls a message goes back with it", () => {
    const phase: AssistantBlock = { type: "redacted_thinking", proof: { by: "openai", value: { phase: "commentary" } } }
    expect(answered(phase, so, so)).toEqual([said({ phase: "commentary" }), said()])
  })
})

describe("effort", () => {
  const efforts = ["low", "medium", "high"] as const
  const of = (thinking: Request["thinking"], dialect: ServerDialect): JsonValue | undefined =>
    sent({ thinking }, dialect).reasoning
  test("in the provider's terms, with summaries unless they are hidden", () => {
    const dialect = thinkingDialect({ efforts, byDefault: true })
    expect(of({ type: "auto" }, dialect)).toEqual({ summary: "auto" })
    expect(of({ type: "auto", effort: "max" }, dialect)).toEqual({ effort: "high", summary: "auto" })
    expect(of({ type: "on", effort: "low", summaries: "hidden" }, dialect)).toEqual({ effort: "low" })
    expect(of({ type: "off" }, dialect)).toEqual({ effort: "none" })
    expect(of({ type: "off" }, thinkingDialect({ efforts, byDefault: true, stops: "never" }))).toEqual({
      effort: "low",
    })
  })
  test("of a model about which nothing is known, by its name", () => {
    const least = (model: string): unknown => sent({ model, thinking: { type: "off" } }).reasoning
    expect(least("openai/gpt-5-mini")).toEqual({ effort: "minimal" })
    for (const model of ["openai/gpt-5.4-mini", "openai/gpt-6-sol"]) expect(least(model)).toEqual({ effort: "none" })
    expect(least("openai/o3")).toEqual({ effort: "low" })
    expect(of({ type: "on", effort: "max" }, dialectOf())).toEqual({ effort: "high", summary: "auto" })
    expect(of({ type: "on", tokens: 10_000 }, dialectOf())).toEqual({ effort: "medium", summary: "auto" })
  })
  test("nothing is asked of a model that does not reason", () => {
    for (const model of ["openai/gpt-4.1", "openai/gpt-4o-mini", "openai/gpt-5-chat-latest"]) {
      const body = sent({ model, thinking: { type: "on", effort: "high" } })
      expect(body).not.toHaveProperty("reasoning")
      expect(body).not.toHaveProperty("include")
    }
    const body = sent({ thinking: { type: "on", effort: "high" } }, thinkingDialect({ efforts: [], byDefault: false }))
    expect(body).not.toHaveProperty("reasoning")
  })
})

/** Conversations of any provider: thinking with foreign proofs, odd names, long ids, pictures in results, and more. */
const conversation: fc.Arbitrary<readonly Message[]> = fc
  .array(
    fc.record({
      text: fc.option(fc.string({ minLength: 1, unit: "binary" }), { nil: undefined }),
      thinking: fc.array(fc.constantFrom("anthropic", "openai", "gemini", "none", "phase"), { maxLength: 3 }),
      last: fc.boolean(),
      calls: fc.array(
        fc.record({
          media: fc.boolean(),
          long: fc.boolean(),
          text: fc.string(),
          name: fc.constantFrom("Look", "a b.c", ""),
        }),
        { maxLength: 3 },
      ),
      then: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((turns) => {
    const messages: Message[] = [says("begin")]
    for (const [i, turn] of turns.entries()) {
      const id = (k: number, long: boolean): string => `toolu_${i}_${k}${long ? "x".repeat(80) : ""}`
      const thoughts = turn.thinking.map((by, k): AssistantBlock => {
        if (by === "none") return { type: "thinking", thinking: "hm" }
        if (by === "phase")
          return { type: "redacted_thinking", proof: { by: "openai", value: { phase: "final_answer" } } }
        if (by === "anthropic") return { type: "thinking", thinking: "hm", proof: { by, value: "signature" } }
        return thought(by, `rs_${i}_${k}`)
      })
      const content: AssistantBlock[] = [
        ...thoughts,
        ...(turn.text ? [{ type: "text" as const, text: turn.text }] : []),
        ...turn.calls.map(({ long, name }, k) => ({ type: "tool_use" as const, id: id(k, long), name, input: { k } })),
        ...(turn.last ? [thought("openai", `rs_${i}_last`)] : []),
      ]
      const results: UserBlock[] = turn.calls.map(({ media, long, text }, k) => ({
        type: "tool_result",
        tool_use_id: id(k, long),
        content: media ? [{ type: "text", text }, picture, paper] : text,
      }))
      messages.push({ role: "assistant", content })
      messages.push({ role: "user", content: [...results, { type: "text", text: turn.then ?? "go on" }] })
    }
    return messages
  })

test("whatever was said, a request is valid, encoded as if it were the first, and only adds to the one before", () => {
  fc.assert(
    fc.property(conversation, (messages) => {
      const system = [{ text: "Be brief." }]
      const encoder = openResponsesEncoder(dialectOf(), () => {})
      let before = ""
      for (let end = 1; end <= messages.length; end += 2) {
        const part = messages.slice(0, end)
        const text = textOf(encoder.encode(requestOf({ model: "openai/gpt-5", system, messages: part })).body)
        expect(JSON.parse(text)).toEqual(sent({ system, messages: part }))
        expect(text.startsWith(before)).toBe(true)
        before = text.slice(0, -"]}".length)
      }
      expect(before).not.toContain('"signature"')
    }),
    { numRuns: 80 },
  )
})

describe("after a refusal, what can be done without is left out", () => {
  const model = "openai/gpt-5"
  const thinking = { type: "on", effort: "high" } as const
  const messages: readonly Message[] = [
    says("?"),
    { role: "assistant", content: [thought("openai"), { type: "text", text: "So." }] },
    says("go on"),
  ]
  const refusal = ({ code, ...more }: { field?: string; code?: string; message?: string }) => ({
    status: 400,
    names: code === undefined ? [] : [code],
    message: "",
    headers: new Headers(),
    ...more,
  })
  const open = () => {
    const encoder = openResponsesEncoder(dialectOf(), () => {})
    const request = requestOf({ model, thinking, messages })
    return {
      adapt: (more: Parameters<typeof refusal>[0]) => encoder.adapt?.(request, refusal(more)) !== undefined,
      body: (more: Partial<Request> = {}) => decoded(encoder.encode({ ...request, ...more }).body),
    }
  }

  test("summaries, efforts, and reasoning at all: once each, for this model only", () => {
    const { adapt, body } = open()
    expect(body().reasoning).toEqual({ effort: "high", summary: "auto" })
    expect(adapt({ field: "reasoning.summary" })).toBe(true)
    expect(body().reasoning).toEqual({ effort: "high" })
    expect(adapt({ field: "reasoning.summary" })).toBe(false)
    expect(adapt({ field: "reasoning.effort" })).toBe(true)
    expect(body().reasoning).toEqual({})
    expect(adapt({ field: "include" })).toBe(true)
    expect(body()).not.toHaveProperty("include")
    expect(body({ model: "openai/o3" }).reasoning).toEqual({ effort: "high", summary: "auto" })
    for (const field of ["input[2].content", "model", "max_output_tokens", "tools[0].name"])
      expect(adapt({ field })).toBe(false)
  })

  test("reasoning that cannot be read any more; what is thought later goes back again", () => {
    const { adapt, body } = open()
    const kinds = (request: JsonObject): readonly unknown[] =>
      listIn(request.input).map((item) => (isObject(item) ? item.type : undefined))
    expect(kinds(body())).toEqual(["message", "reasoning", "message", "message"])
    expect(adapt({ code: "invalid_encrypted_content" })).toBe(true)
    expect(kinds(body())).toEqual(["message", "message", "message"])
    expect(adapt({ code: "invalid_encrypted_content" })).toBe(false)
    const later: Message = { role: "assistant", content: [thought("openai", "rs_2"), { type: "text", text: "And." }] }
    expect(kinds(body({ messages: [...messages, later, says("more")] })).join(",")).toBe(
      "message,message,message,reasoning,message,message",
    )
  })
})
