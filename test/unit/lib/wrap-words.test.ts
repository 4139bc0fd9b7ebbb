/** Lines outside the screen are broken between words. */

import { expect, test } from "bun:test"
import { wrapWords } from "#lib/wrap-words.ts"

test("a line is broken between words, never inside one", () => {
  const text = "Using the built-in simulator, which has no understanding. codewright login connects a real model."
  const lines = wrapWords(text, 60).split("\n")
  expect(lines.join(" ")).toBe(text)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60)
})

test("lines that fit, their indentation and long words stay as they are", () => {
  expect(wrapWords("  a b\n    c", 20)).toBe("  a b\n    c")
  expect(wrapWords(`see ${"x".repeat(30)}`, 20)).toBe(`see\n${"x".repeat(30)}`)
})
