/** Words of others: whatever they are, only what can be seen is left of them. */

import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { cutText, plainText, plainValue } from "#lib/plain-text.ts"

test.each([
  ["escape sequences", "a\u001b[2Jb\u001b]0;title\u0007c\u009b31md", "abcd"],
  ["control characters", "a\u0000b\u0008c\u007fd\u0085e", "abcd\ne"],
  ["what turns text around", "a\u202eb\u2066c\u2069d\u200f", "abcd"],
  ["what has no width", "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg", "abcdefg"],
  ["tag characters", "a\u{e0041}\u{e0042}\u{e007f}b", "ab"],
  ["marks that choose variants", "a\ufe00b\u{e0100}c", "abc"],
  ["letters that nobody sees", "a\u115fb\u3164c\uffa0d", "abcd"],
  ["half characters", "a\ud800b", "a\ufffdb"],
  ["other spaces and line ends", "a\u00a0b\u2003c\r\nd\re\u2028f\u2029g", "a b c\nd\ne\nf\ng"],
])("%s", (_what, text, plain) => {
  expect(plainText(text)).toBe(plain)
})

test("words in any language, signs and line ends stay", () => {
  const text = 'Größe 3 × 4 = 12 €, 日本語, עברית, हिन्दी, é, 👍\n\t- `a_b` <x> & "y"'
  expect(plainText(text)).toBe(text)
})

describe("of any text", () => {
  const anything = fc.string({
    unit: fc.oneof(fc.constantFrom("\u001b[", "\u200b", "\u{e0041}", "<", "\r\n"), fc.string()),
  })

  test("only what can be seen is left, and a second time nothing changes", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const plain = plainText(text)
        expect(plain).toMatch(/^[\p{L}\p{M}\p{N}\p{P}\p{S} \n\t]*$/u)
        expect(plain).not.toMatch(/\p{Default_Ignorable_Code_Point}/u)
        expect(plainText(plain)).toBe(plain)
      }),
    )
  })

  test("it is as long as wanted at most", () => {
    fc.assert(
      fc.property(anything, fc.integer({ min: 1, max: 20 }), (text, most) => {
        expect(cutText(text, most).length).toBeLessThanOrEqual(most)
      }),
    )
  })
})

test("a value keeps its line ends and spaces, and nothing hidden", () => {
  expect(plainValue("\r\n\u00a0\u200b\u202ex")).toBe("\r\n\u00a0x")
})
