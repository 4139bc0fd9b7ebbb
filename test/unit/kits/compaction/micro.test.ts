/** Which results give way to a line, and when. */

import { expect, test } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import { keptText, oldResults, stubWords } from "#kits/compaction/micro.ts"

const window = 200_000

/** A conversation of steps, each a call and its result of so many tokens. */
const steps = (...results: readonly (readonly [tool: string, tokens: number])[]): Message[] => [
  { role: "user", content: [{ type: "text", text: "begin" }] },
  ...results.flatMap(([name, tokens], index): Message[] => [
    { role: "assistant", content: [{ type: "tool_use", id: `c${index}`, name, input: { file_path: `f${index}` } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `c${index}`, content: "x".repeat(tokens * 4) }] },
  ]),
]

const picked = (messages: readonly Message[], contextTokens: number, isCold = false): readonly string[] =>
  oldResults({ messages, contextTokens, window, isCold }).map(({ use }) => use.id)

const long = steps(
  ["Read", 15_000],
  ["Bash", 10_000],
  ["Grep", 5_000],
  ["Read", 20_000],
  ["Read", 20_000],
  ["Read", 10_000],
)

test("old results go once the conversation is over two fifths of the window, but not the newest 40,000 tokens", () => {
  expect(picked(long, 80_000)).toEqual([])
  expect(picked(long, 80_001)).toEqual(["c0", "c1", "c2"])
})

test("after a long pause they go earlier, because the provider has forgotten the prefix", () => {
  expect(picked(long, 30_000, true)).toEqual(["c0", "c1", "c2"])
})

test("what wins less than 20,000 tokens is left alone", () => {
  const few = steps(["Read", 15_000], ["Bash", 4_000], ["Read", 30_000], ["Read", 30_000], ["Read", 30_000])
  expect(picked(few, 120_000)).toEqual([])
})

test("the last three results stay, however large they are", () => {
  expect(picked(steps(["Read", 60_000], ["Read", 60_000], ["Read", 60_000]), 180_000)).toEqual([])
})

test("only results that can be had again go, and not those that are a line already", () => {
  const mixed = steps(
    ["AskUserQuestion", 30_000],
    ["Task", 30_000],
    ["Read", 30_000],
    ["Bash", 20],
    ["Read", 30_000],
    ["Read", 30_000],
    ["Read", 30_000],
  )
  expect(picked(mixed, 150_000)).toEqual(["c2"])
})

test("the line says what it was and where all of it is", () => {
  const [first] = oldResults({ messages: long, contextTokens: 100_000, window, isCold: false })
  if (!first) throw new Error("nothing was picked")
  expect(stubWords(first, "/state/results/c0.txt")).toBe(
    "[The result of Read f0 was left out to make room: about 15000 tokens. All of it is in /state/results/c0.txt.]",
  )
  expect(stubWords(first, undefined)).toContain("Make the call again")
})

test("what is kept of a result is bounded: its beginning and its end", () => {
  expect(keptText("whole")).toBe("whole")
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } } as const
  expect(keptText([{ type: "text", text: "one" }, image])).toBe("one\n[image]")
  const kept = keptText(`first ${"é".repeat(3_000_000)} last`)
  expect(kept.length).toBeLessThan(1_001_000)
  expect(kept).toStartWith("first ")
  expect(kept).toEndWith(" last")
  expect(kept).toContain("of 3000011 characters")
})
