/** References to tools in a log: whole ones are kept, others would make every request be refused. */

import { expect, test } from "bun:test"
import { messagesIn, resultContent } from "#ground/transcript/blocks.ts"

test("whole references are kept, in results and in the messages of a compaction; others are left out", () => {
  const whole = { type: "tool_reference", tool_name: "mcp__a__b" }
  const content = [
    whole,
    { type: "tool_reference" },
    { type: "tool_reference", tool_name: 3 },
    { ...whole, tool_name: "" },
  ]
  expect(resultContent(content)).toEqual([{ type: "tool_reference", tool_name: "mcp__a__b" }])
  const result = { type: "tool_result", tool_use_id: "t", content }
  expect(messagesIn([{ role: "user", content: [result, whole] }])).toEqual([
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t", content: [{ type: "tool_reference", tool_name: "mcp__a__b" }] },
      ],
    },
  ])
})
