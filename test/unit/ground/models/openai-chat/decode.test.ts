/** What servers of Chat Completions send, with their oddities: understood where it can only mean one thing, refused otherwise. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { openAdmittedIds } from "#ground/models/admitted-ids.ts"
import type { DecodeStatus } from "#ground/models/format.ts"
import { openChatDecoder } from "#ground/models/openai-chat/decode.ts"
import { seededIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { requestOf } from "../port.ts"

const tool = { name: "Look", description: "Looks.", input_schema: { type: "object" } }
const finished = (reason: string): JsonObject => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
const said = (delta: JsonObject): JsonObject => ({ id: "c-1", model: "m", choices: [{ index: 0, delta }] })
const called = (...calls: readonly JsonObject[]): JsonObject => said({ tool_calls: calls })

function decode(chunks: readonly (JsonObject | string)[], end: "done" | "closed" = "done") {
  const ids = seededIds(1)
  const parts = { by: "local", toolIds: openAdmittedIds(ids, "toolu"), messageIds: openAdmittedIds(ids, "msg") }
  const decoder = openChatDecoder(parts, requestOf({ tools: [tool] }))
  const out: AnswerEvent[] = []
  let taken: DecodeStatus = { kind: "more" }
  for (const chunk of [...chunks, ...(end === "done" ? ["[DONE]"] : [])]) {
    taken = decoder.decodeEvent(null, typeof chunk === "string" ? chunk : JSON.stringify(chunk), out)
    if (taken.kind !== "more") break
  }
  if (taken.kind === "more" && decoder.ended) taken = decoder.ended(out)
  expect(out.at(-1)?.type === "message_stop").toBe(taken.kind === "end")
  return { taken, ...folded(out) }
}

/** The blocks that the events make, and how the answer ended. */
function folded(events: readonly AnswerEvent[]) {
  const blocks: { [index: number]: JsonObject } = {}
  const stopped: number[] = []
  let end: unknown
  for (const event of events) {
    if (event.type === "block_start")
      blocks[event.index] = { ...event.block, ...(event.block.type === "tool_use" && { json: "" }) }
    if (event.type === "block_stop") stopped.push(event.index)
    if (event.type === "message_delta") end = event
    if (!("index" in event) || event.type === "block_start") continue
    const block = blocks[event.index]
    if (event.type === "text_delta") blocks[event.index] = { ...block, text: `${String(block?.text)}${event.text}` }
    if (event.type === "thinking_delta")
      blocks[event.index] = { ...block, thinking: `${String(block?.thinking)}${event.thinking}` }
    if (event.type === "input_delta") blocks[event.index] = { ...block, json: `${String(block?.json)}${event.json}` }
    if (event.type === "proof_delta") blocks[event.index] = { ...block, proof: event.proof }
  }
  return { blocks: Object.values(blocks), stopped: stopped.toSorted(), end }
}

const look = (json = '{"id":1}', id = "call_1"): JsonObject => ({ type: "tool_use", id, name: "Look", input: {}, json })

describe("calls", () => {
  const shapes: { readonly [name: string]: readonly JsonObject[] } = {
    "in pieces, numbered": [
      called({ index: 0, id: "call_1", type: "function", function: { name: "Look", arguments: "" } }),
      called({ index: 0, function: { arguments: '{"id"' } }),
      called({ index: 0, function: { arguments: ":1}" } }),
    ],
    "named again in every piece": [
      called({ index: 0, id: "call_1", function: { name: "Look", arguments: '{"id"' } }),
      called({ index: 0, id: "call_1", function: { name: "Look", arguments: ":1}" } }),
    ],
    "whole, with its input as an object": [called({ id: "call_1", function: { name: "Look", arguments: { id: 1 } } })],
    "delivered twice": [
      called({ index: 0, id: "call_1", function: { name: "Look", arguments: '{"id":1}' } }),
      called({ index: 0, id: "call_1", function: { name: "Look", arguments: '{"id":1}' } }),
    ],
    "its input before its name": [
      called({ index: 0, id: "call_1", function: { arguments: '{"id":' } }),
      called({ index: 0, function: { name: "Look", arguments: "1}" } }),
    ],
  }
  for (const [name, chunks] of Object.entries(shapes))
    for (const reason of ["tool_calls", "stop"])
      test(`${name}, ending with ${reason}`, () => {
        const { taken, blocks, stopped, end } = decode([...chunks, finished(reason)])
        expect(taken).toEqual({ kind: "end" })
        expect(blocks).toEqual([look()])
        expect(stopped).toEqual([0])
        expect(end).toMatchObject({ stopReason: "tool_use" })
      })

  test("two in one piece, both numbered 0 or not at all, are two", () => {
    for (const index of [{ index: 0 }, {}]) {
      const { blocks } = decode([
        called(
          { ...index, id: "call_1", function: { name: "Look", arguments: '{"id":1}' } },
          { ...index, id: "call_2", function: { name: "Look", arguments: '{"id":2}' } },
        ),
        finished("tool_calls"),
      ])
      expect(blocks).toEqual([look(), look('{"id":2}', "call_2")])
    }
  })

  test("without ids they get some, and none is mistaken for another", () => {
    const { blocks } = decode([
      called({ function: { name: "Look", arguments: '{"id":1}' } }),
      called({ function: { name: "Look", arguments: '{"id":2}' } }),
      finished("tool_calls"),
    ])
    expect(blocks.map(({ json }) => json)).toEqual(['{"id":1}', '{"id":2}'])
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(2)
  })

  test("a piece of no call, or a call without a name, breaks the answer", () => {
    expect(decode([called({ function: { arguments: "{}" } })]).taken).toMatchObject({ kind: "garbled" })
    expect(
      decode([called({ index: 0, id: "x", function: { arguments: "{}" } }), finished("stop")]).taken,
    ).toMatchObject({
      kind: "garbled",
    })
  })

  test("written as text between tags, they count where they are whole and name a tool", () => {
    const text = (content: string) =>
      decode([...content].map((letter) => said({ content: letter })).concat(finished("stop")))
    const { blocks, end } = text('I look.\n<tool_call>\n{"name": "Look", "arguments": {"id": 1}}\n</tool_call>')
    expect(blocks).toEqual([{ type: "text", text: "I look.\n" }, look('{"id":1}', String(blocks[1]?.id))])
    expect(end).toMatchObject({ stopReason: "tool_use" })
    for (const other of [
      '<tool_call>{"name":"Other","arguments":{}}</tool_call>',
      '<tool_call>{"name":"Look"',
      "a < b",
    ])
      expect(text(other)).toMatchObject({ blocks: [{ type: "text", text: other }], end: { stopReason: "end_turn" } })
  })
})

describe("thinking", () => {
  test("under either name, and back under the one that wants it", () => {
    for (const [field, proof] of [
      ["reasoning_content", { proof: { by: "local", value: { field: "reasoning_content" } } }],
      ["reasoning", {}],
    ] as const) {
      const { blocks } = decode([
        said({ [field]: "I " }),
        said({ [field]: "think." }),
        said({ content: "So." }),
        finished("stop"),
      ])
      expect(blocks).toEqual([
        { type: "thinking", thinking: "I think.", ...proof },
        { type: "text", text: "So." },
      ])
    }
  })

  test("details are put together by their numbers", () => {
    const { blocks } = decode([
      said({ reasoning: "a", reasoning_details: [{ type: "reasoning.text", text: "a", index: 0 }] }),
      said({ reasoning: "b", reasoning_details: [{ type: "reasoning.text", text: "b", signature: "s", index: 0 }] }),
      said({ reasoning_details: [{ type: "reasoning.encrypted", data: "x", index: 1 }] }),
      said({ content: "So." }),
      finished("stop"),
    ])
    const details = [
      { type: "reasoning.text", text: "ab", signature: "s", index: 0 },
      { type: "reasoning.encrypted", data: "x", index: 1 },
    ]
    expect(blocks[0]).toEqual({ type: "thinking", thinking: "ab", proof: { by: "local", value: { details } } })
  })

  test("between tags at the beginning, however it is cut; tags later are text", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }), (sizes) => {
        const whole = "<think>I </thi think.</think>\n\nSo <think> it is."
        const pieces: string[] = []
        for (let at = 0, i = 0; at < whole.length; at += sizes[i % sizes.length] ?? 1, i++)
          pieces.push(whole.slice(at, at + (sizes[i % sizes.length] ?? 1)))
        const { blocks } = decode([...pieces.map((content) => said({ content })), finished("stop")])
        expect(blocks).toEqual([
          { type: "thinking", thinking: "I </thi think." },
          { type: "text", text: "So <think> it is." },
        ])
      }),
    )
  })
})

describe("the end", () => {
  const answer = said({ content: "So." })
  test("reasons", () => {
    for (const [reason, stopReason] of [
      ["stop", "end_turn"],
      ["length", "max_tokens"],
      ["content_filter", "refusal"],
      ["tool_calls", "end_turn"],
    ] as const)
      expect(decode([answer, finished(reason)]).end).toMatchObject({ stopReason })
  })

  test("a server that just closes has answered if it said why it ended, and broke off otherwise", () => {
    expect(decode([answer, finished("stop")], "closed").taken).toEqual({ kind: "end" })
    expect(decode([answer], "closed").taken).toEqual({ kind: "more" })
    expect(decode([], "done").taken).toEqual({ kind: "more" })
  })

  test("usage is disjoint; where none comes it is estimated", () => {
    const usage = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } }
    expect(decode([answer, finished("stop"), { choices: [], usage }]).end).toMatchObject({
      usage: { input_tokens: 40, output_tokens: 7, cache_read_input_tokens: 60, cache_creation_input_tokens: 0 },
    })
    expect(decode([answer, finished("stop"), { choices: null, usage }]).end).toMatchObject({
      usage: { output_tokens: 7 },
    })
    const guessed = decode([answer, finished("stop")]).end as { usage: { input_tokens: number; output_tokens: number } }
    expect(guessed.usage.input_tokens).toBeGreaterThan(0)
    expect(guessed.usage.output_tokens).toBeGreaterThan(0)
  })

  test("errors in the stream, and what is no JSON", () => {
    expect(decode([{ error: { message: "Slow down", code: 429 } }]).taken).toEqual({
      kind: "refused",
      type: "",
      message: "Slow down",
      status: 429,
    })
    expect(decode(["{"]).taken).toMatchObject({ kind: "garbled" })
  })

  test("whatever comes, it never throws", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 6 }), (values) => {
        decode(values.map((value) => JSON.stringify(value)))
        decode(
          values.map((value) => JSON.stringify({ choices: [{ delta: value, finish_reason: value }], usage: value })),
        )
        decode(values.map((value) => JSON.stringify({ choices: [{ delta: { tool_calls: value, content: value } }] })))
      }),
    )
  })
})
