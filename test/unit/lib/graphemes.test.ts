/** Whatever the text, it is parted as the rules of all scripts part it. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { graphemes } from "#lib/graphemes.ts"

test("the short way for plain text gives what the long way would", () => {
  const rules = new Intl.Segmenter(undefined, { granularity: "grapheme" })
  const piece = fc.constantFrom(
    "a",
    " ",
    "\n",
    "\t",
    "\r",
    "\r\n",
    "~",
    "é",
    "e\u0301",
    "日",
    "👩‍💻",
    "🇩🇪",
    "\u0000",
    "\u007f",
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), (pieces) => {
      const text = pieces.join("")
      const expected = [...rules.segment(text)].map(({ segment, index }) => ({ segment, index }))
      expect([...graphemes(text)].map(({ segment, index }) => ({ segment, index }))).toEqual(expected)
    }),
  )
})
