import { expect, test } from "bun:test"
import { systemIds } from "#lib/ids.ts"
import { encodeStream, encodeWhole } from "#sim/anthropic.ts"
import { speak } from "#sim/spoken.ts"
import { parseReply } from "#sim/parse-reply.ts"

const usage = { input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 3, cache_read_input_tokens: 4 }
const spoken = speak(
  {
    content: [
      { type: "thinking", thinking: "Hm.", signature: "s" },
      { type: "text", text: "I read it." },
      { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a.txt" } },
      { type: "text", text: "And that is it." },
    ],
    usage,
  },
  "claude-sonnet-5",
  { read: 0, written: 0, written1h: 0, input: 0 },
  systemIds,
)
const content = [
  { thinking: "Hm.", signature: "s" },
  { text: "I read it." },
  { tool: "Read", input: { file_path: "a.txt" }, id: "toolu_1" },
  { text: "And that is it." },
]
const pieces = encodeStream(spoken)
const upTo = (event: string, block: string): string =>
  pieces
    .slice(0, pieces.findIndex((piece) => piece.event === event && piece.block === block) + 1)
    .map(({ bytes }) => bytes)
    .join("")

test("an answer is heard as it was said, streamed or whole", () => {
  const heard = { content, stopReason: "tool_use", usage }
  expect(parseReply(pieces.map(({ bytes }) => bytes).join(""))).toEqual(heard)
  expect(parseReply(JSON.stringify(encodeWhole(spoken)))).toEqual(heard)
})

test("of one that broke off after a call, what is complete; of one that broke off before it, nothing", () => {
  expect(parseReply(upTo("content_block_stop", "tool_use"))?.content).toEqual(content.slice(0, 3))
  expect(parseReply(upTo("content_block_stop", "text"))).toBeUndefined()
  expect(parseReply("<html>")).toBeUndefined()
})
