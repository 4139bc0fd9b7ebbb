/**
 * What stands between two prompts that are carried over a compaction was not counted. Many short ones took several times
 * their share, until a conversation in a small window was compacted every few steps.
 */

import { expect, test } from "bun:test"
import { tokensOfMessages } from "#agent/words/weight.ts"
import { pack } from "#kits/compaction/carry.ts"

test("many short prompts stay within the room", () => {
  const said = (count: number) =>
    pack(
      {
        context: [],
        prompts: Array.from({ length: count }, (_, n) => [{ type: "text", text: `do turn ${n}` }]),
        summary: "what happened",
        state: [],
        files: [],
        extras: [],
        tail: [],
        transcript: undefined,
        isWorking: true,
        sourceOf: () => undefined,
      },
      5_000,
    )
  expect(tokensOfMessages(said(2_000).messages)).toBeLessThan(5_500)
  expect(said(2_000).said.length).toBe(said(3_000).said.length)
  expect(said(100).said).toHaveLength(100)
})
