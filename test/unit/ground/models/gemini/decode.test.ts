/** What the Gemini API answers: parts put together into blocks, signatures kept, and every end understood. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { UserBlock } from "#agent/words/message.ts"
import { openReply } from "#agent/words/reply.ts"
import { openAdmittedIds } from "#ground/models/admitted-ids.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import type { DecodeStatus } from "#ground/models/format.ts"
import { openGeminiDecoder } from "#ground/models/gemini/decode.ts"
import { seededIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { requestOf } from "../port.ts"

const said = (...parts: readonly JsonObject[]): JsonObject => ({
  candidates: [{ content: { role: "model", parts } }],
  modelVersion: "gemini-4-argon",
  responseId: "r-1",
})
const finished = (finishReason = "STOP", more: JsonObject = {}): JsonObject => ({
  candidates: [{ finishReason }],
  ...more,
})
const call = (id: number, more: JsonObject = {}): JsonObject => ({
  functionCall: { name: "Look", args: { id } },
  ...more,
})

function openDecoder(content?: readonly UserBlock[]) {
  const ids = seededIds(1)
  const parts = { by: "gemini", toolIds: openAdmittedIds(ids, "toolu"), messageIds: openAdmittedIds(ids, "msg") }
  return openGeminiDecoder(parts, requestOf(content && { messages: [{ role: "user", content }] }))
}

function decode(chunks: readonly (JsonObject | string)[], content?: readonly UserBlock[]) {
  const decoder = openDecoder(content)
  const out: AnswerEvent[] = []
  let taken: DecodeStatus = { kind: "more" }
  for (const chunk of chunks) {
    taken = decoder.decodeEvent(null, typeof chunk === "string" ? chunk : JSON.stringify(chunk), out)
    if (taken.kind !== "more") break
  }
  if (taken.kind === "more" && decoder.ended) taken = decoder.ended(out)
  return { taken, out, ...folded(out) }
}

function folded(events: readonly AnswerEvent[]) {
  const reply = openReply()
  for (const event of events) reply.onEvent(event)
  return { blocks: reply.blocks(), stopReason: reply.stopReason(), usage: reply.usage(), failure: reply.failure() }
}

const signed = (...parts: readonly JsonObject[]) => ({ proof: { by: "gemini", value: { parts } } })

describe("parts", () => {
  test("thoughts, text and calls, with the signatures that came with them", () => {
    const { taken, blocks, stopReason } = decode([
      said({ text: "Let me ", thought: true }),
      said({ text: "see.", thought: true }),
      said({ text: "I " }),
      said({ text: "look." }),
      said(call(1, { thoughtSignature: "s1" }), call(2)),
      finished(),
    ])
    expect(taken).toEqual({ kind: "end" })
    expect(stopReason).toBe("tool_use")
    expect(blocks).toEqual([
      { type: "thinking", thinking: "Let me see." },
      { type: "text", text: "I look." },
      {
        type: "tool_use",
        id: expect.stringMatching(/^toolu_/) as unknown as string,
        name: "Look",
        input: { id: 1 },
        proof: { by: "gemini", value: { signature: "s1" } },
      },
      { type: "tool_use", id: expect.stringMatching(/^toolu_/) as unknown as string, name: "Look", input: { id: 2 } },
    ])
  })

  test("text that is signed at its end, on a part of its own or with its last piece", () => {
    expect(decode([said({ text: "So." }), said({ text: "", thoughtSignature: "s" }), finished()]).blocks).toEqual([
      { type: "text", text: "So.", ...signed({ start: 3, end: 3, signature: "s" }) },
    ])
    expect(decode([said({ text: "So " }), said({ text: "be it.", thoughtSignature: "s" }), finished()]).blocks).toEqual(
      [{ type: "text", text: "So be it.", ...signed({ start: 3, end: 9, signature: "s" }) }],
    )
  })

  test("thoughts that are signed", () => {
    expect(
      decode([said({ text: "hm", thought: true, thoughtSignature: "s" }, { text: "So." }), finished()]).blocks,
    ).toEqual([
      { type: "thinking", thinking: "hm", ...signed({ start: 0, end: 2, signature: "s" }) },
      { type: "text", text: "So." },
    ])
    expect(
      decode([said({ text: "hm", thought: true }, { thoughtSignature: "s" }, { text: "So." }), finished()]).blocks[0],
    ).toEqual({ type: "thinking", thinking: "hm", ...signed({ start: 2, end: 2, signature: "s", plain: true }) })
  })

  test("ids are kept where they are good, and the same call under the same id counts once", () => {
    const own = (id: string, n: number): JsonObject => ({ functionCall: { id, name: "Look", args: { n } } })
    const ids = (...parts: readonly JsonObject[]): readonly unknown[] =>
      decode([...parts.map((part) => said(part)), finished()]).blocks.map(
        (block) => block.type === "tool_use" && block.id,
      )
    expect(ids(own("a", 1), own("b", 2))).toEqual(["a", "b"])
    expect(ids(own("a", 1), own("a", 1))).toEqual(["a"])
    const [first, second] = ids(own("a", 1), own("a", 2))
    expect(first).toBe("a")
    expect(second).not.toBe("a")
    expect(new Set(ids(call(1), call(1))).size).toBe(2)
  })
})

describe("the end", () => {
  const so = said({ text: "So." })
  test("reasons", () => {
    for (const [finish, reason] of [
      ["STOP", "end_turn"],
      ["MAX_TOKENS", "max_tokens"],
      ["CONTINUATION", "max_tokens"],
      ["SAFETY", "refusal"],
      ["RECITATION", "refusal"],
      ["PROHIBITED_CONTENT", "refusal"],
      ["SOMETHING_NEW", "refusal"],
    ] as const)
      expect(decode([so, finished(finish)]).stopReason).toBe(reason)
  })

  test("a prompt that was blocked is a refusal", () => {
    const { taken, stopReason } = decode([{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }])
    expect(taken).toEqual({ kind: "end" })
    expect(stopReason).toBe("refusal")
  })

  test("a call that cannot be read breaks the answer, so that it is asked for again", () => {
    const { taken, out } = decode([finished("MALFORMED_FUNCTION_CALL")])
    expect(taken).toMatchObject({ kind: "garbled" })
    expect(out).toEqual([])
    expect(decode([so, said({ functionCall: { args: {} } })]).taken).toEqual({
      kind: "garbled",
      why: "a call has no name",
    })
  })

  test("an answer to a prompt that says nothing is asked for again; after results it may be empty", () => {
    const thought = said({ text: "hm", thought: true })
    for (const nothing of [[], [said({ text: "" })], [thought]])
      expect(decode([...nothing, finished()]).taken).toEqual({ kind: "garbled", why: "it is empty" })
    expect(decode([finished()], [{ type: "tool_result", tool_use_id: "a", content: "x" }])).toMatchObject({
      taken: { kind: "end" },
      stopReason: "end_turn",
    })
  })

  test("without a reason it broke off", () => {
    expect(decode([so]).taken).toEqual({ kind: "more" })
    expect(decode([]).taken).toEqual({ kind: "more" })
    expect(decode(["{"]).taken).toMatchObject({ kind: "garbled" })
  })

  test("usage is disjoint, and thoughts are output", () => {
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 20,
      totalTokenCount: 127,
    }
    expect(decode([so, finished("STOP", { usageMetadata })]).usage).toEqual({
      input_tokens: 40,
      output_tokens: 27,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 0,
    })
  })

  test("an error in the stream has its status and its wait", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "1.5s" }]
    const error = { code: 503, message: "Overloaded", status: "UNAVAILABLE", details }
    expect(decode([{ error }]).taken).toEqual({
      kind: "refused",
      type: "overloaded_error",
      message: "Overloaded",
      status: 503,
      waitMs: 1_500,
    })
  })
})

const part: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ text: fc.string({ minLength: 1, maxLength: 12 }) }),
  fc.record({ text: fc.string({ maxLength: 12 }), thought: fc.boolean() }),
  fc.record({ text: fc.string({ maxLength: 6 }), thoughtSignature: fc.constantFrom("s1", "s2") }),
  fc.integer().map((id) => call(id)),
  fc.integer().map((id) => call(id, { thoughtSignature: `c${id}` })),
)

test("however parts are divided into chunks, and whole, they mean the same", () => {
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 12 }),
      fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 }),
      (parts, sizes) => {
        const chunks: JsonObject[] = []
        for (let at = 0, i = 0; at < parts.length; i++) {
          const size = sizes[i % sizes.length] ?? 1
          chunks.push(said(...parts.slice(at, at + size)))
          at += size
        }
        const streamed = decode([...chunks, finished("STOP", { responseId: "r-1" })])
        const whole: AnswerEvent[] = []
        const candidate = { content: { role: "model", parts }, finishReason: "STOP" }
        const answer = { candidates: [candidate], modelVersion: "gemini-4-argon", responseId: "r-1" }
        expect(openDecoder().decodeWhole(JSON.stringify(answer), whole)).toEqual(streamed.taken)
        if (parts.length > 0) expect(streamed.out).toEqual(whole)
      },
    ),
  )
})

test("whatever comes, it never throws", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { maxLength: 6 }), (values) => {
      decode(values.map((value) => JSON.stringify(value)))
      decode(values.map((value) => JSON.stringify({ candidates: value, promptFeedback: value, usageMetadata: value })))
      decode(
        values.map((value) => JSON.stringify({ candidates: [{ content: { parts: value }, finishReason: value }] })),
      )
      decode(
        values.map((value) =>
          JSON.stringify({
            candidates: [{ content: { parts: [{ text: value, thoughtSignature: value, functionCall: value }] } }],
          }),
        ),
      )
    }),
  )
})
