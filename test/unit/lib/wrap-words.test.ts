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

test("what continues a line stands below its text, beside the mark", () => {
  const row = "ok    disk space: 77 GB free in one place and 77 GB free in another"
  expect(wrapWords(row, 40)).toBe("ok    disk space: 77 GB free in one\n      place and 77 GB free in another")
  const keys = "up, ctrl+p                          One line up; then earlier prompts"
  expect(wrapWords(keys, 58)).toBe(
    `up, ctrl+p                          One line up; then\n${" ".repeat(36)}earlier prompts`,
  )
  expect(wrapWords("  it is asked because of a rule that says so", 24)).toBe(
    "  it is asked because of\n  a rule that says so",
  )
})
