/** Pieces of a growing text: the same however it was portioned, nothing lost. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { grow, nothing, type MarkdownPiece } from "#faces/view/pieces.ts"

const line = fc.oneof(
  fc.constantFrom(
    "",
    "",
    "text here",
    "- item",
    "  more of it",
    "1. first",
    "```ts",
    "```",
    "~~~",
    "| a | b |",
    "# head",
    "    code",
  ),
  fc.string({ maxLength: 30, unit: "grapheme" }),
  fc.constant("word ".repeat(500)),
)
const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join("\n"))

function portioned(whole: string, cuts: readonly number[]): MarkdownPiece[] {
  const places = [...new Set([0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length])].sort((a, b) => a - b)
  let open = nothing
  const pieces: MarkdownPiece[] = []
  for (const [i, from] of places.entries()) {
    const cut = grow(open, whole.slice(from, places[i + 1] ?? from))
    pieces.push(...cut.settled)
    open = cut.open
  }
  return [...pieces, open]
}

test("the pieces of a text do not depend on its portions", () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 20 }), (whole, cuts) => {
      expect(portioned(whole, cuts)).toEqual(portioned(whole, []))
    }),
  )
})

test("pieces outside of code are the text, cut", () => {
  fc.assert(
    fc.property(
      text.filter((whole) => !/```|~~~/.test(whole)),
      (whole) => {
        expect(
          portioned(whole, [])
            .map(({ markdown }) => markdown)
            .join(""),
        ).toBe(whole)
      },
    ),
  )
})

test("long code is cut into blocks that are whole by themselves", () => {
  const code = Array.from({ length: 20 }, (_, i) => `line ${i}`).join("\n")
  const pieces = portioned(`Look:\n\`\`\`ts\n${code}\n\`\`\`\nDone.\n`, [])
  expect(pieces.map(({ joint, openCode }) => `${joint}${openCode ? " open" : ""}`)).toEqual([
    "apart",
    "next open",
    "code open",
    "code",
  ])
  expect(pieces[2]?.markdown).toStartWith("```ts\nline 8\n")
})
