import { expect, test } from "bun:test"
import fc from "fast-check"
import { headAndTail } from "#lib/head-and-tail.ts"

test("both ends are kept, cut at line ends where those are near", () => {
  const text = Array.from({ length: 100 }, (_, i) => `line ${i}`).join("\n")
  const cut = headAndTail(text, text, 200, "[cut]")
  expect(cut).toStartWith("line 0\nline 1\n")
  expect(cut).toEndWith("\nline 98\nline 99")
  expect(cut.split("\n").every((line) => line === "[cut]" || /^line \d+$/.test(line))).toBe(true)
})

test("one long line costs no more than the limit, and no character is cut in half", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 100 }), fc.integer({ min: 4, max: 60 }), (text, limit) => {
      const cut = headAndTail(text, text, limit, "[cut]")
      expect(cut.length).toBeLessThanOrEqual(limit + "\n[cut]\n".length)
      expect(cut.isWellFormed()).toBe(true)
    }),
  )
})
