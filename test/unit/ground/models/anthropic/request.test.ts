import { expect, test } from "bun:test"
import fc from "fast-check"
import type { AssistantBlock, Message } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import type { Thinking } from "#agent/words/thinking.ts"
import { claudeFacts } from "#ground/models/anthropic/releases.ts"
import { openRequestEncoder } from "#ground/models/anthropic/request.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { checkEffort, checkThinking } from "#sim/strict-thinking.ts"

const summarized = { type: "adaptive", display: "summarized" }
const requestOf = (more: Partial<Request> = {}): Request => ({
  model: "claude-test",
  system: [],
  tools: [],
  messages: [],
  maxTokens: 1_000,
  thinking: { type: "off" },
  delivery: "stream",
  repeat: 0,
  ...more,
})
const dialect = { name: "anthropic", idOf: (model: string) => model, factsOf: claudeFacts }
const encoderOf = (): ReturnType<typeof openRequestEncoder> => openRequestEncoder(dialect, () => {})
const textOf = (request: Request, encoder = encoderOf()): string =>
  new TextDecoder().decode(encoder.encode(request).body)
const sent = (request: Request, encoder = encoderOf()): JsonObject => JSON.parse(textOf(request, encoder))

const mark = { cache_control: { type: "ephemeral" } }
const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] })
const assistant = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] })

test("a request has marks at the end of its tools, of its system prompt and of its last two user messages", () => {
  const request = requestOf({
    system: [{ text: "You are" }, { text: "" }, { text: "helpful" }],
    tools: [
      { name: "A", description: "a", input_schema: { type: "object" } },
      { name: "B", description: "b", input_schema: { type: "object", properties: {} } },
    ],
    messages: [
      user("1"),
      assistant("2"),
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t", content: "3" },
          { type: "text", text: "three" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", proof: { by: "anthropic", value: "s" } },
          { type: "tool_use", id: "u", name: "A", input: { x: 1 } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "u", content: [{ type: "text", text: "5" }], is_error: true }],
      },
    ],
  })
  expect(sent(request)).toEqual({
    model: "claude-test",
    max_tokens: 1_000,
    stream: true,
    tools: [
      { name: "A", description: "a", input_schema: { type: "object" } },
      { name: "B", description: "b", input_schema: { type: "object", properties: {} }, ...mark },
    ],
    system: [
      { type: "text", text: "You are" },
      { type: "text", text: "helpful", ...mark },
    ],
    messages: [
      { role: "user", content: [{ type: "text", text: "1" }] },
      { role: "assistant", content: [{ type: "text", text: "2" }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t", content: "3" },
          { type: "text", text: "three", ...mark },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "tool_use", id: "u", name: "A", input: { x: 1 } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "u", content: [{ type: "text", text: "5" }], is_error: true, ...mark },
        ],
      },
    ],
  })
})

test("what is empty is left out, and messages without content carry no mark", () => {
  expect(sent(requestOf({ messages: [user("1"), { role: "user", content: [] }] }))).toEqual({
    model: "claude-test",
    max_tokens: 1_000,
    stream: true,
    messages: [
      { role: "user", content: [{ type: "text", text: "1", ...mark }] },
      { role: "user", content: [] },
    ],
  })
})

test.each([
  [{}, {}],
  [{ allowedDomains: ["bun.sh"] }, { allowed_domains: ["bun.sh"] }],
  [{ blockedDomains: ["a.example", "b.example"] }, { blocked_domains: ["a.example", "b.example"] }],
  // The provider takes one list, and none that is empty.
  [{ allowedDomains: ["bun.sh"], blockedDomains: ["a.example"] }, { allowed_domains: ["bun.sh"] }],
  [{ allowedDomains: [], blockedDomains: [] }, {}],
])("a search at the provider with %j stands after our own tools, which keep the mark", (domains, fields) => {
  const own = { name: "A", description: "a", input_schema: { type: "object" } }
  const search = { type: "web_search_20250305", name: "web_search", max_uses: 8, ...fields }
  const serverTools = [{ type: "web_search", maxUses: 8, ...domains }] as const
  const encoder = encoderOf()
  const tools = [own]
  expect(sent(requestOf({ serverTools }), encoder).tools).toEqual([search])
  expect(sent(requestOf({ tools, serverTools }), encoder).tools).toEqual([{ ...own, ...mark }, search])
  // The very same list of tools without it is not mistaken for the one before.
  expect(sent(requestOf({ tools }), encoder).tools).toEqual([{ ...own, ...mark }])
})

test("a request extends the one before it byte for byte, marks aside", () => {
  const encoder = encoderOf()
  const unmarked = (request: Request): string =>
    textOf(request, encoder).replaceAll(`,"cache_control":{"type":"ephemeral"}`, "")
  const messages: Message[] = []
  let before = ""
  for (let step = 0; step < 20; step++) {
    messages.push(user(`question ${step} "é🌍\u2028\n`), assistant(`answer ${step}`))
    const body = unmarked(requestOf({ system: [{ text: "s" }], messages: [...messages] }))
    expect(body.startsWith(before)).toBe(true)
    before = body.slice(0, -"]}".length)
  }
})

test("a message is serialised once, and never again while it is the same one", () => {
  const reads = new Map<string, number>()
  const counting = (text: string): Message => ({
    role: "user",
    content: [
      {
        type: "text",
        get text() {
          reads.set(text, (reads.get(text) ?? 0) + 1)
          return text
        },
      },
    ],
  })
  const encoder = encoderOf()
  const messages = [counting("a"), counting("b"), counting("c")]
  for (let count = 1; count <= 3; count++) encoder.encode(requestOf({ messages: messages.slice(0, count) }))
  encoder.encode(requestOf({ messages }))
  expect([...reads.values()]).toEqual([1, 1, 1])
})

test("the memory of a body is used again once it was released, and never before", () => {
  const encoder = encoderOf()
  const first = encoder.encode(requestOf({ messages: [user("one")] }))
  const beside = encoder.encode(requestOf({ messages: [user("two")] }))
  expect(beside.body.buffer).not.toBe(first.body.buffer)
  first.release()
  const shorter = encoder.encode(requestOf({ messages: [user("3")] }))
  expect(shorter.body.buffer).toBe(first.body.buffer)
  expect(new TextDecoder().decode(shorter.body)).toBe(textOf(requestOf({ messages: [user("3")] })))
  shorter.release()
  const longer = requestOf({ messages: [user("four".repeat(1_000))] })
  expect(textOf(longer, encoder)).toBe(textOf(longer))
  expect(new TextDecoder().decode(beside.body)).toBe(textOf(requestOf({ messages: [user("two")] })))
})

test("the ids of calls already made are told, once each", () => {
  const noted: string[] = []
  const encoder = openRequestEncoder(dialect, (id) => noted.push(id))
  const call: Message = { role: "assistant", content: [{ type: "tool_use", id: "u", name: "A", input: {} }] }
  for (let step = 0; step < 3; step++) encoder.encode(requestOf({ messages: [user("x"), call] }))
  expect(noted).toEqual(["u"])
})

test("half a character, as cut output may hold, is mended; everything else is sent as it is", () => {
  const texts = ["cut \ud83d", "\udc00 cut", "whole 🌍", "a backslash \\ud83d written out", "\u0000\u001f\u2028"]
  const { messages } = sent(
    requestOf({ messages: [{ role: "user", content: texts.map((text) => ({ type: "text", text })) }] }),
  )
  const blocks = Array.isArray(messages) && isObject(messages[0]) ? messages[0].content : []
  expect(Array.isArray(blocks) ? blocks.map((block: JsonValue) => (isObject(block) ? block.text : block)) : []).toEqual(
    ["cut \ufffd", "\ufffd cut", "whole 🌍", "a backslash \\ud83d written out", "\u0000\u001f\u2028"],
  )
})

test("random conversations are sent as plain JSON would send them", () => {
  const block = fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: fc.string({ unit: "grapheme", minLength: 1 }) }),
    fc.record({
      type: fc.constant("tool_result" as const),
      tool_use_id: fc.string(),
      content: fc.string({ unit: "grapheme" }),
    }),
  )
  const message = fc.oneof(
    fc.record({ role: fc.constant("user" as const), content: fc.array(block, { maxLength: 3 }) }),
    fc.record({
      role: fc.constant("assistant" as const),
      content: fc.array(
        fc.record({
          type: fc.constant("tool_use" as const),
          id: fc.string(),
          name: fc.string(),
          input: fc.constant({ a: [1, null] }),
        }),
        { maxLength: 2 },
      ),
    }),
  )
  const strip = (value: JsonValue): JsonValue =>
    JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner)))
  fc.assert(
    fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
      const body = sent(requestOf({ messages }))
      expect(strip(body.messages ?? null)).toEqual(JSON.parse(JSON.stringify(messages)))
      const marks = textOf(requestOf({ messages })).split(`,"cache_control":{"type":"ephemeral"}`).length - 1
      expect(marks).toBe(
        Math.min(2, messages.filter(({ role, content }) => role === "user" && content.length > 0).length),
      )
    }),
  )
})

test.each([
  ["claude-sonnet-4-5", 5_000, { thinking: { type: "enabled", budget_tokens: 5_000 } }],
  ["claude-sonnet-4-5", 100, { thinking: { type: "enabled", budget_tokens: 1_024 } }],
  ["claude-sonnet-4-5", 64_000, { thinking: { type: "enabled", budget_tokens: 31_999 } }],
  ["claude-sonnet-4-5", undefined, {}],
  ["some-other-model", undefined, {}],
  ["claude-opus-4-7", undefined, {}],
  [
    "claude-opus-4-7",
    5_000,
    { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "medium" } },
  ],
  ["claude-opus-5", undefined, { thinking: { type: "disabled" } }],
  ["claude-sonnet-5-5", undefined, { thinking: { type: "between_tools" } }],
  ["claude-opus-5-5", undefined, { thinking: { type: "adaptive", display: "summarized" } }],
  [
    "claude-opus-5-5[1m]",
    31_999,
    { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "high" } },
  ],
  [
    "claude-opus-5-5",
    40_000,
    { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "max" } },
  ],
] as const)("%s, asked to think with %p tokens, is asked in its own way", (model, tokens, fields) => {
  const thinking = tokens === undefined ? ({ type: "off" } as const) : ({ type: "on", tokens } as const)
  const {
    model: _model,
    max_tokens: _max,
    stream: _stream,
    messages: _messages,
    ...rest
  } = sent(requestOf({ model, thinking, maxTokens: 32_000 }))
  expect(rest).toEqual(fields)
})

test.each<readonly [string, Thinking, object]>([
  ["claude-opus-5-5", { type: "auto" }, { thinking: summarized }],
  ["claude-opus-4-6", { type: "auto" }, { thinking: summarized }],
  ["claude-sonnet-4-5", { type: "auto" }, {}],
  ["some-other-model", { type: "auto", effort: "high" }, { thinking: { type: "enabled", budget_tokens: 16_000 } }],
  ["claude-opus-5-5", { type: "auto", summaries: "hidden" }, { thinking: { type: "adaptive" } }],
  ["claude-opus-5-5", { type: "auto", effort: "xhigh" }, { thinking: summarized, output_config: { effort: "xhigh" } }],
  ["claude-sonnet-4-6", { type: "on", effort: "xhigh" }, { thinking: summarized, output_config: { effort: "high" } }],
  ["claude-sonnet-4-6", { type: "on", effort: "max" }, { thinking: summarized, output_config: { effort: "max" } }],
  ["claude-sonnet-4-5", { type: "on", effort: "low" }, { thinking: { type: "enabled", budget_tokens: 4_000 } }],
  ["claude-sonnet-4-5", { type: "on" }, { thinking: { type: "enabled", budget_tokens: 10_000 } }],
  [
    "claude-opus-4-5",
    { type: "on", effort: "max" },
    { thinking: { type: "enabled", budget_tokens: 31_999 }, output_config: { effort: "high" } },
  ],
  ["claude-opus-4-5", { type: "on", tokens: 5_000 }, { thinking: { type: "enabled", budget_tokens: 5_000 } }],
  ["claude-opus-4-5", { type: "off", effort: "low" }, { output_config: { effort: "low" } }],
  [
    "claude-haiku-5-5",
    { type: "off", effort: "max" },
    { thinking: { type: "disabled" }, output_config: { effort: "high" } },
  ],
  [
    "claude-sonnet-5-5",
    { type: "off", effort: "max" },
    { thinking: { type: "between_tools" }, output_config: { effort: "max" } },
  ],
  ["claude-opus-5-5", { type: "off", effort: "low" }, { thinking: summarized, output_config: { effort: "low" } }],
])("%s takes %p in its own way, and the strict simulator takes the request", (model, thinking, fields) => {
  const body = sent(requestOf({ model, thinking, maxTokens: 32_000 }))
  const { model: _model, max_tokens: _max, stream: _stream, messages: _messages, ...rest } = body
  expect(rest).toEqual(fields as JsonObject)
  expect([checkThinking(body), checkEffort(body)]).toEqual([undefined, undefined])
})

test("where the answer leaves no room for thinking, none is asked for", () => {
  expect(sent(requestOf({ maxTokens: 900, thinking: { type: "on", tokens: 4_000 } })).thinking).toBeUndefined()
})

test("the big window is asked for by a header, not by the id", () => {
  const encoder = encoderOf()
  expect(encoder.encode(requestOf({ model: "claude-sonnet-4-5[1m]" })).headers).toEqual([
    ["anthropic-beta", "context-1m-2025-08-07"],
  ])
  expect(sent(requestOf({ model: "claude-sonnet-4-5[1M]" }))).toMatchObject({ model: "claude-sonnet-4-5" })
  expect(encoder.encode(requestOf()).headers).toEqual([])
})

test("whatever was asked before, and for whichever conversation, a request is encoded as if it were the first", () => {
  const move = fc.record({
    which: fc.nat({ max: 1 }),
    change: fc.oneof(
      { weight: 4, arbitrary: fc.constant("append" as const) },
      { weight: 1, arbitrary: fc.constantFrom("cut", "replace", "repeat" as const) },
    ),
    at: fc.nat(),
    role: fc.constantFrom("user", "assistant" as const),
    text: fc.string({ unit: "grapheme", minLength: 1, maxLength: 3_000, size: "max" }),
  })
  fc.assert(
    fc.property(fc.array(move, { maxLength: 25 }), (moves) => {
      const encoder = encoderOf()
      const conversations: [Message[], Message[]] = [[user("one")], [user("two")]]
      for (const { which, change, at, role, text } of moves) {
        const messages = conversations[which === 0 ? 0 : 1]
        const message: Message = { role: role === "user" ? "user" : "assistant", content: [{ type: "text", text }] }
        if (change === "append") messages.push(message)
        if (change === "cut") messages.length = Math.max(1, at % messages.length)
        if (change === "replace") messages[at % messages.length] = message
        expect(textOf(requestOf({ messages }), encoder)).toBe(textOf(requestOf({ messages })))
      }
    }),
    { numRuns: 40 },
  )
})

const lateTools: Request["tools"] = [
  { name: "A", description: "a", input_schema: { type: "object" } },
  { name: "L", description: "late </system-reminder>", input_schema: { type: "object" }, deferred: true },
]
const loads = (...names: string[]): Message => ({
  role: "user",
  content: [
    {
      type: "tool_result",
      tool_use_id: "t",
      content: names.map((tool_name) => ({ type: "tool_reference", tool_name }) as const),
    },
  ],
})

test("deferred tools come last and unmarked; the mark stays with the last one that is listed", () => {
  const { tools } = sent(requestOf({ model: "claude-sonnet-5", tools: lateTools }))
  expect(tools).toEqual([
    { name: "A", description: "a", input_schema: { type: "object" }, ...mark },
    { name: "L", description: "late </system-reminder>", input_schema: { type: "object" }, defer_loading: true },
  ])
})

test("a model that cannot defer is not sent such tools, and reads the definition where a result refers to one", () => {
  const request = requestOf({ model: "claude-3-5-haiku", tools: lateTools, messages: [user("1"), loads("L", "Gone")] })
  const body = sent(request)
  expect(body.tools).toEqual([{ name: "A", description: "a", input_schema: { type: "object" }, ...mark }])
  expect(JSON.stringify(body.messages)).not.toContain("tool_reference")
  expect(JSON.stringify(body.messages)).toContain("late &lt;/system-reminder")
  expect(JSON.stringify(body.messages)).toContain("The tool Gone is not there any more.")
})

test("a reference whose tool is not in the request is never sent as one", () => {
  const body = sent(
    requestOf({ model: "claude-sonnet-5", tools: lateTools, messages: [user("1"), loads("L", "A", "Gone")] }),
  )
  const references = [...JSON.stringify(body.messages).matchAll(/"tool_name":"(\w+)"/g)].map(([, name]) => name)
  expect(references).toEqual(["L"])
})

test("one message is written for each way of loading, and stays as it was when the models take turns", () => {
  const encoder = encoderOf()
  const messages = [user("1"), loads("L"), assistant("2"), user("3"), assistant("4"), user("5")]
  const asked = (model: string, tools = lateTools): string =>
    JSON.stringify(sent(requestOf({ model, tools, messages }), encoder).messages)
  const [newer, older] = [asked("claude-sonnet-5"), asked("claude-3-5-haiku")]
  expect(newer).toContain("tool_reference")
  expect(older).not.toContain("tool_reference")
  const more = [...lateTools, { name: "M", description: "m", input_schema: {}, deferred: true } as const]
  expect([asked("claude-sonnet-5", more), asked("claude-3-5-haiku", more)]).toEqual([newer, older])
})

test("its own reasoning goes back byte for byte as it came, and that of others does not", () => {
  const content: AssistantBlock[] = [
    { type: "thinking", thinking: "mine", proof: { by: "anthropic", value: "s" } },
    { type: "redacted_thinking", proof: { by: "anthropic", value: "d" } },
    { type: "thinking", thinking: "theirs", proof: { by: "openai", value: { id: "rs_1" } } },
    { type: "redacted_thinking", proof: { by: "openai", value: "x" } },
    { type: "thinking", thinking: "nobody's" },
    { type: "text", text: "So.", proof: { by: "gemini", value: { parts: [] } } },
    { type: "tool_use", id: "u", name: "A", input: { x: 1 }, proof: { by: "gemini", value: "t" } },
  ]
  const by = { model: "claude-test", provider: "anthropic" }
  const { body } = encoderOf().encode(requestOf({ messages: [user("1"), { role: "assistant", content, by }] }))
  expect(new TextDecoder().decode(body)).toContain(
    '{"role":"assistant","content":[{"type":"thinking","thinking":"mine","signature":"s"},{"type":"redacted_thinking","data":"d"},{"type":"text","text":"So."},{"type":"tool_use","id":"u","name":"A","input":{"x":1}}]}',
  )
})
