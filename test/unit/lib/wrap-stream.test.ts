/** Text that streams is broken between words, as it would be if it came whole. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { openStreamWrap, wrapAnswer } from "#lib/wrap-stream.ts"

test("lines are broken between words, and what continues an item of a list stands below its text", () => {
  const text =
    "A sentence that is too long for a row.\n\n- An item that is too long as well\n  1. One two three four five six\n"
  expect(wrapAnswer(text, 20)).toBe(
    [
      "A sentence that is",
      "too long for a row.",
      "",
      "- An item that is",
      "  too long as well",
      "  1. One two three",
      "     four five six",
      "",
    ].join("\n"),
  )
})

test("code between fences and words longer than a row stay whole", () => {
  const code = "```ts\nexport const answer = (question: string) => 42\n```\n"
  expect(wrapAnswer(code, 20)).toBe(code)
  expect(wrapAnswer(`see ${"x".repeat(30)} there`, 20)).toBe(`see\n${"x".repeat(30)}\nthere`)
})

test("without columns nothing is changed and nothing is held back", () => {
  const { push, rest } = openStreamWrap(() => 0)
  expect([push("one tw"), push("o  \nthree"), rest()]).toEqual(["one tw", "o  \nthree", ""])
})

test("however it comes in pieces, it looks the same, and no row but of one word is too wide", () => {
  const someText = fc.string({ unit: fc.constantFrom("a", "b", "é", "漢", " ", "\n", "-"), maxLength: 80 })
  fc.assert(
    fc.property(
      someText,
      fc.array(fc.nat(80), { maxLength: 6 }),
      fc.integer({ min: 4, max: 30 }),
      (text, cuts, columns) => {
        const { push, rest } = openStreamWrap(() => columns)
        const at = [0, ...cuts.filter((cut) => cut < text.length).toSorted((a, b) => a - b), text.length]
        const pieces = at.slice(1).map((to, i) => push(text.slice(at[i], to)))
        const whole = pieces.join("") + rest()
        expect(whole).toBe(wrapAnswer(text, columns))
        expect(whole.split(/\s+/)).toEqual(text.trimEnd() === text ? text.split(/\s+/) : expect.anything())
        for (const row of whole.split("\n"))
          expect(Bun.stringWidth(row) <= columns || !row.trim().replace(/^- /, "").includes(" ")).toBe(true)
      },
    ),
  )
})
