/** Blocks of answers as logs of today and of before have them. */

import { expect, test } from "bun:test"
import { assistantBlock, messagesIn } from "#ground/transcript/blocks.ts"

test("older logs know a signature: it is the proof of the one provider there was", () => {
  expect(assistantBlock({ type: "thinking", thinking: "hm", signature: "s" })).toEqual({
    type: "thinking",
    thinking: "hm",
    proof: { by: "anthropic", value: "s" },
  })
  expect(assistantBlock({ type: "thinking", thinking: "hm", signature: "" })).toEqual({
    type: "thinking",
    thinking: "hm",
  })
  expect(assistantBlock({ type: "redacted_thinking", data: "d" })).toEqual({
    type: "redacted_thinking",
    proof: { by: "anthropic", value: "d" },
  })
})

test("a proof is kept as it is, whoever it is by; what is none is not taken for one", () => {
  const proof = { by: "openai", value: { id: "rs_1", encrypted: "x" } }
  expect(assistantBlock({ type: "thinking", thinking: "hm", proof })).toEqual({
    type: "thinking",
    thinking: "hm",
    proof,
  })
  const use = { type: "tool_use", id: "c", name: "Read", input: {} } as const
  expect(assistantBlock({ ...use, proof })).toEqual({ ...use, proof })
  expect(assistantBlock({ ...use, proof: { by: 3, value: "x" } })).toEqual(use)
  expect(assistantBlock({ type: "thinking", thinking: "hm", proof: "s" })).toEqual({ type: "thinking", thinking: "hm" })
  expect(assistantBlock({ type: "redacted_thinking" })).toBeUndefined()
})

test("messages of a compaction keep their author", () => {
  const content = [{ type: "text", text: "yes" }]
  const by = { model: "claude-opus-5-5", provider: "anthropic" }
  expect(messagesIn([{ role: "assistant", content, by }])).toEqual([
    { role: "assistant", content: [{ type: "text", text: "yes" }], by },
  ])
  expect(messagesIn([{ role: "assistant", content, by: { model: 3 } }])).toEqual([
    { role: "assistant", content: [{ type: "text", text: "yes" }] },
  ])
})
