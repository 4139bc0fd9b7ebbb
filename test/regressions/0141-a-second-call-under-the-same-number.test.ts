/** A server that numbers all its calls 0 and names none lost every call after the first, without a word. */

import { expect, test } from "bun:test"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { openAdmittedIds } from "#ground/models/admitted-ids.ts"
import { openChatDecoder } from "#ground/models/openai-chat/decode.ts"
import { seededIds } from "#lib/ids.ts"

function inputsOf(...calls: readonly (readonly [id: string | null, json: string])[]): readonly string[] {
  const ids = seededIds(1)
  const parts = { by: "local", toolIds: openAdmittedIds(ids, "toolu"), messageIds: openAdmittedIds(ids, "msg") }
  const request = { model: "m", system: [], tools: [], messages: [], maxTokens: 9, thinking: { type: "off" as const } }
  const decoder = openChatDecoder(parts, { ...request, delivery: "stream", repeat: 0 })
  const out: AnswerEvent[] = []
  for (const [id, json] of calls) {
    const call = { index: 0, id, type: "function", function: { name: "Look", arguments: json } }
    decoder.decodeEvent(null, JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }), out)
  }
  const taken = decoder.decodeEvent(null, "[DONE]", out)
  if (taken.kind === "garbled") return [taken.why]
  return out.flatMap((event) => (event.type === "input_delta" ? [event.json] : []))
}

test("without ids, another input is another call", () => {
  expect(inputsOf([null, '{"id":1}'], [null, '{"id":2}'], [null, '{"id":3}'])).toEqual([
    '{"id":1}',
    '{"id":2}',
    '{"id":3}',
  ])
})

test("the same call once more counts once", () => {
  expect(inputsOf(["a", '{"id":1}'], ["a", '{"id":1}'])).toEqual(['{"id":1}'])
})

test("once more and cut off, it breaks the answer", () => {
  expect(inputsOf(["a", '{"id":1}'], ["a", '{"id":'])).toEqual(["a call came twice, and differently"])
})
