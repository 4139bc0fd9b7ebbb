/** What the Responses API sends: the same answer however it is cut, and nothing of an answer that cannot be trusted. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { AssistantBlock } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import { openReply } from "#agent/words/reply.ts"
import { openAdmittedIds } from "#ground/models/admitted-ids.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import type { Decoder, DecodeStatus } from "#ground/models/format.ts"
import { openResponsesDecoder } from "#ground/models/openai-responses/decode.ts"
import { eventsIn } from "#ground/models/server-sent-events.ts"
import { seededIds } from "#lib/ids.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import { parseReply } from "#sim/scenario-schema.ts"
import { decodeResponses } from "#sim/responses/request.ts"
import { responsesWire } from "#sim/responses/wire.ts"
import { speak } from "#sim/spoken.ts"
import { requestOf } from "../port.ts"

function openDecoder(): Decoder {
  const ids = seededIds(1)
  const parts = { by: "openai", toolIds: openAdmittedIds(ids, "toolu"), messageIds: openAdmittedIds(ids, "msg") }
  return openResponsesDecoder(parts, requestOf({ model: "openai/gpt-5" }) satisfies Request)
}

/** What an answer amounts to, of the events up to the first that ends it. */
function decode(events: readonly (JsonObject | string)[]) {
  const decoder = openDecoder()
  const out: AnswerEvent[] = []
  let taken: DecodeStatus = { kind: "more" }
  for (const event of events) {
    const data = typeof event === "string" ? event : JSON.stringify(event)
    taken = decoder.decodeEvent(isObject(event) && typeof event.type === "string" ? event.type : null, data, out)
    if (taken.kind !== "more") break
  }
  return { taken, ...folded(out) }
}

function folded(events: readonly AnswerEvent[]) {
  const reply = openReply()
  const finished = events.flatMap((event) => reply.onEvent(event) ?? [])
  return {
    events,
    blocks: reply.blocks(),
    unreadable: finished.flatMap(({ unreadable }) => unreadable ?? []),
    stop: reply.stopReason(),
    usage: reply.usage(),
    isWhole: reply.failure() === undefined,
  }
}

const created: JsonObject = { type: "response.created", response: { id: "resp_1", model: "gpt-5-2025-08-07" } }
const added = (output_index: number, item: JsonObject): JsonObject => ({
  type: "response.output_item.added",
  output_index,
  item,
})
const done = (output_index: number, item: JsonObject): JsonObject => ({
  type: "response.output_item.done",
  output_index,
  item,
})
const piece = (kind: string, output_index: number, delta: string, more: JsonObject = {}): JsonObject => ({
  type: `response.${kind}.delta`,
  output_index,
  delta,
  ...more,
})
const ended = (more: JsonObject = {}, type = "response.completed"): JsonObject => ({
  type,
  response: { id: "resp_1", status: type.replace("response.", ""), ...more },
})
const call = (more: JsonObject = {}): JsonObject => ({
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "Look",
  arguments: "",
  ...more,
})
const message = (more: JsonObject = {}): JsonObject => ({ type: "message", id: "msg_1", content: [], ...more })
const look = (input: JsonObject, id = "call_1"): AssistantBlock => ({ type: "tool_use", id, name: "Look", input })
const text = (words: string): AssistantBlock => ({ type: "text", text: words })

describe("calls", () => {
  const pieces = [piece("function_call_arguments", 0, '{"id"'), piece("function_call_arguments", 0, ":1}")]
  const whole = call({ arguments: '{"id":1}' })
  const shapes: { readonly [name: string]: readonly JsonObject[] } = {
    "in pieces": [added(0, call()), ...pieces, done(0, whole)],
    "written with other spaces at the end": [added(0, call()), ...pieces, done(0, call({ arguments: '{ "id": 1 }' }))],
    "only at its end": [added(0, call()), done(0, whole)],
    "without a beginning": [done(0, whole)],
    "without an end of its own": [added(0, call()), ...pieces],
    "delivered twice": [added(0, call()), ...pieces, done(0, whole), added(0, call()), ...pieces, done(0, whole)],
    "only in the whole answer": [],
  }
  for (const [name, events] of Object.entries(shapes))
    test(name, () => {
      const { taken, blocks, stop } = decode([created, ...events, ended({ output: [whole] })])
      expect(taken).toEqual({ kind: "end" })
      expect(blocks).toEqual([look({ id: 1 })])
      expect(stop).toBe("tool_use")
    })

  test("whatever is delivered twice leaves no trace of the second time", () => {
    const said = [added(1, message()), piece("output_text", 1, "So."), done(1, message())]
    const thought = [
      added(2, { type: "reasoning", id: "rs_1" }),
      piece("reasoning_summary_text", 2, "hm", { summary_index: 0 }),
      done(2, { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "x" }),
    ]
    const made = [added(0, call()), ...pieces, done(0, whole)]
    const once = decode([created, ...made, ...said, ...thought, ended()])
    const twice = decode([created, ...made, ...made, ...said, ...said, ...thought, ...thought, ended()])
    expect(once.blocks).toHaveLength(3)
    expect(twice).toEqual(once)
  })

  test("two are two, whatever their pieces' order", () => {
    const second = call({ id: "fc_2", call_id: "call_2" })
    const { blocks } = decode([
      created,
      added(0, call()),
      added(1, second),
      piece("function_call_arguments", 1, '{"id":2}'),
      piece("function_call_arguments", 0, '{"id":1}'),
      done(0, whole),
      done(1, { ...second, arguments: '{"id":2}' }),
      ended(),
    ])
    expect(blocks).toEqual([look({ id: 1 }), look({ id: 2 }, "call_2")])
  })

  test("a piece that got lost breaks the answer: nothing else may be done than what was meant", () => {
    const { taken, blocks } = decode([created, added(0, call()), pieces[0] ?? "", done(0, whole), ended()])
    expect(taken).toMatchObject({ kind: "garbled" })
    expect(blocks).toEqual([])
  })

  test("one that was cut off is told to be unreadable, and never has an input", () => {
    const cut = call({ arguments: '{"id"', status: "incomplete" })
    const incomplete = ended({ incomplete_details: { reason: "max_output_tokens" } }, "response.incomplete")
    for (const last of [[done(0, cut)], []]) {
      const { blocks, unreadable, stop } = decode([created, added(0, call()), pieces[0] ?? "", ...last, incomplete])
      expect({ blocks, stop }).toEqual({ blocks: [look({})], stop: "max_tokens" })
      expect(unreadable).toHaveLength(1)
    }
  })

  test("what belongs to no call, has no name, or takes the place of another breaks the answer", () => {
    for (const events of [
      [piece("function_call_arguments", 0, "{}")],
      [added(0, call({ name: "" }))],
      [added(0, message()), piece("function_call_arguments", 0, "{}")],
      [added(0, call()), added(0, call({ id: "fc_2" }))],
      [added(0, call()), done(0, call()), added(0, call({ id: "fc_2" }))],
    ])
      expect(decode([created, ...events]).taken).toMatchObject({ kind: "garbled" })
  })
})

describe("reasoning", () => {
  const item = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "half" }
  const summary = [
    { type: "summary_text", text: "One." },
    { type: "summary_text", text: "Two." },
  ]
  const proof = { by: "openai", value: { id: "rs_1", encrypted_content: "whole", summary } }

  test("its summary is shown, and its encrypted content kept as it is at the end", () => {
    const { blocks } = decode([
      created,
      added(0, item),
      piece("reasoning_summary_text", 0, "One", { summary_index: 0 }),
      piece("reasoning_summary_text", 0, ".", { summary_index: 0 }),
      piece("reasoning_summary_text", 0, "Two.", { summary_index: 1 }),
      done(0, { ...item, summary, encrypted_content: "whole" }),
      added(1, message()),
      piece("output_text", 1, "So."),
      done(1, message()),
      ended(),
    ])
    expect(blocks).toEqual([{ type: "thinking", thinking: "One.\n\nTwo.", proof }, text("So.")])
  })

  test("without a summary it is kept too, and without encrypted content it is only shown", () => {
    const bare = { type: "reasoning", id: "rs_1", summary: [] }
    expect(decode([created, done(0, { ...bare, encrypted_content: "x" }), ended()]).blocks).toEqual([
      {
        type: "thinking",
        thinking: "",
        proof: { by: "openai", value: { id: "rs_1", encrypted_content: "x", summary: [] } },
      },
    ])
    expect(decode([created, added(0, bare), done(0, bare), ended()]).blocks).toEqual([])
    const raw = [added(0, bare), piece("reasoning_text", 0, "hm", { content_index: 0 }), done(0, bare)]
    expect(decode([created, ...raw, ended()]).blocks).toEqual([{ type: "thinking", thinking: "hm" }])
  })

  test("two in a row are two", () => {
    const second = { ...item, id: "rs_2", encrypted_content: "y" }
    const { blocks } = decode([created, done(0, { ...item, encrypted_content: "x" }), done(1, second), ended()])
    expect(
      blocks.map((block) => block.type === "thinking" && isObject(block.proof?.value) && block.proof.value.id),
    ).toEqual(["rs_1", "rs_2"])
  })
})

test("two messages are two texts, each with what the provider calls it", () => {
  const first = message({ phase: "commentary" })
  const { blocks } = decode([
    created,
    added(0, first),
    piece("output_text", 0, "I look."),
    done(0, first),
    added(1, message({ id: "msg_2" })),
    piece("output_text", 1, "So."),
    done(1, message({ id: "msg_2" })),
    ended(),
  ])
  expect(blocks).toEqual([
    { type: "redacted_thinking", proof: { by: "openai", value: { phase: "commentary" } } },
    text("I look."),
    text("So."),
  ])
})

describe("the end", () => {
  const said = [created, added(0, message()), piece("output_text", 0, "So."), done(0, message())]
  const incomplete = (reason: string): JsonObject => ended({ incomplete_details: { reason } }, "response.incomplete")

  test("reasons", () => {
    expect(decode([...said, ended()]).stop).toBe("end_turn")
    expect(decode([...said, incomplete("max_output_tokens")]).stop).toBe("max_tokens")
    expect(decode([...said, incomplete("content_filter")]).stop).toBe("refusal")
    const refused = [created, added(0, message()), piece("refusal", 0, "No."), done(0, message()), ended()]
    expect(decode(refused)).toMatchObject({ stop: "refusal", blocks: [text("No.")] })
  })

  test("a stream that just ends is not an answer", () => {
    expect(decode(said)).toMatchObject({ taken: { kind: "more" }, isWhole: false })
  })

  test("usage is disjoint", () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 5 },
    }
    expect(decode([...said, ended({ usage })]).usage).toEqual({
      input_tokens: 30,
      output_tokens: 7,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 10,
    })
  })

  test("errors by their codes, in either shape; what is no JSON breaks the answer", () => {
    const rows = [
      [{ type: "error", code: "rate_limit_exceeded", message: "Slow down" }, { status: 429 }],
      [
        { type: "error", error: { type: "server_error", code: "server_is_overloaded", message: "" } },
        { type: "overloaded_error" },
      ],
      [{ type: "response.failed", response: { error: { code: "server_error", message: "Oops" } } }, { status: 500 }],
      [{ type: "response.failed", response: { error: { code: "invalid_prompt", message: "" } } }, { status: 400 }],
      [
        { type: "response.failed", response: { error: { code: "context_length_exceeded", message: "" } } },
        { status: 400 },
      ],
      [{ type: "response.failed", response: { error: { code: "invalid_image_url", message: "" } } }, { status: 400 }],
      [
        { type: "response.failed", response: {} },
        { type: "", message: "" },
      ],
    ] as const
    for (const [event, expected] of rows)
      expect(decode([created, event]).taken).toMatchObject({ kind: "refused", ...expected })
    expect(decode([created, "{"]).taken).toMatchObject({ kind: "garbled" })
  })

  test("nothing is told before there is content", () => {
    expect(decode([created, added(0, message({ phase: "commentary" }))]).events).toEqual([])
    expect(
      decode([created, { type: "response.in_progress", response: {} }, { type: "response.new_thing" }]).events,
    ).toEqual([])
  })
})

/** An answer of the simulator, which writes what the provider would. */
function spoken(content: ScenarioReply["content"]) {
  const reply = parseReply({ content })
  if (!reply.ok) throw new Error(reply.failure)
  const request = decodeResponses({
    model: "gpt-5",
    reasoning: { summary: "auto" },
    include: ["reasoning.encrypted_content"],
  })
  const said = speak(reply.value, "gpt-5", { read: 5, written: 0, written1h: 0, input: 10 }, seededIds(3))
  return {
    stream: responsesWire.stream(said, request).map(({ bytes }) => bytes),
    whole: JSON.stringify(responsesWire.whole(said, request)),
  }
}

const answers = fc.array(
  fc.oneof(
    fc.string({ minLength: 1, unit: "grapheme" }).map((words) => ({ text: `x${words}` })),
    fc.string({ minLength: 1 }).map((words) => ({ thinking: `x${words}` })),
    fc.dictionary(fc.string(), fc.jsonValue() as fc.Arbitrary<string>).map((input) => ({ tool: "Look", input })),
  ),
  { minLength: 1, maxLength: 5 },
)

test("however a stream is cut, its events are the same; and in one piece the answer is the same", async () => {
  await fc.assert(
    fc.asyncProperty(answers, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async (content, sizes) => {
      const { stream, whole } = spoken(content)
      const at = async (cuts: readonly number[]): Promise<readonly AnswerEvent[]> => {
        const decoder = openDecoder()
        const out: AnswerEvent[] = []
        for await (const events of eventsIn(cutUp(stream.join(""), cuts)))
          for (const { event, data } of events) decoder.decodeEvent(event, data, out)
        return out
      }
      const streamed = await at([1_000_000])
      expect(await at(sizes)).toEqual(streamed)
      const inOne: AnswerEvent[] = []
      expect(openDecoder().decodeWhole(whole, inOne)).toEqual({ kind: "end" })
      const { events: _some, ...first } = folded(streamed)
      const { events: _others, ...second } = folded(inOne)
      expect(second).toEqual(first)
      expect(first.isWhole).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test("whatever comes, it never throws", () => {
  const kinds = [created, added(0, {}), done(0, {}), ended(), piece("output_text", 0, ""), piece("refusal", 0, "")]
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...kinds), fc.jsonValue()), { maxLength: 8 }), (events) => {
      decode(events.map(([, value]) => JSON.stringify(value)))
      for (const field of ["item", "response", "delta", "output_index", "error"])
        decode(events.map(([event, value]) => JSON.stringify({ ...event, [field]: value })))
      for (const [, value] of events)
        openDecoder().decodeWhole(JSON.stringify({ status: "completed", output: value }), [])
    }),
  )
})

function cutUp(whole: string, sizes: readonly number[]): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(whole)
  let at = 0
  let turn = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      const size = sizes[turn++ % sizes.length] ?? 1
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}
