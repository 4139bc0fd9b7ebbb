/** Up and down by the rows that are drawn. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { beyondRow } from "#faces/tui/editor/wrap.ts"
import { editorRows, promptRoom } from "#faces/tui/parts/editor.ts"

const shown = (marked: string, room: number, direction: "up" | "down"): string | undefined => {
  const at = marked.indexOf("|")
  const text = marked.replace("|", "")
  const next = beyondRow({ text, at }, room, direction)
  return next === undefined ? undefined : `${text.slice(0, next)}|${text.slice(next)}`
}

test.each([
  ["abcdefgh|ij", 4, "up", "abcd|efghij"],
  ["abcdefghi|j", 4, "up", "abcde|fghij"],
  ["a|bcdefghij", 4, "down", "abcde|fghij"],
  ["abc|defghij", 4, "down", "abcdefg|hij"],
  ["abcdefg|hij", 4, "down", "abcdefghij|"],
  ["a|bc", 4, "up", undefined],
  ["a|bc", 4, "down", undefined],
  ["abcdef\nx|y", 4, "up", "abcde|f\nxy"],
  ["ab\nxyz|", 4, "up", "ab|\nxyz"],
  ["日本|語文", 4, "down", undefined],
  ["日|本語文", 4, "down", "日本語|文"],
  ["日本語|文", 4, "up", "日|本語文"],
  ["abcd|\n", 4, "down", "abcd\n|"],
] as const)("%s in %p %s", (marked, room, direction, expected) => {
  expect(shown(marked, room, direction)).toBe(expected)
})

test("one row further, as it is drawn, and in the same column or before it", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", "日", "👨‍👩‍👧", "\n", "é"), maxLength: 60 })
  fc.assert(
    fc.property(
      text,
      fc.nat(60),
      fc.integer({ min: 10, max: 20 }),
      fc.constantFrom("up", "down"),
      (all, nth, columns, way) => {
        const edges = [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(all)].map(
          ({ index }) => index,
        )
        const at = [...edges, all.length][nth % (edges.length + 1)] ?? 0
        const cursor = (place: number) => editorRows({ text: all, at: place }, columns, 1000).cursor
        const next = beyondRow({ text: all, at }, promptRoom(columns), way)
        const rows = editorRows({ text: all, at }, columns, 1000).rows.length
        const before = cursor(at)
        if (next === undefined) return expect(before.row).toBe(way === "up" ? 0 : rows - 1)
        expect(cursor(next).row).toBe(before.row + (way === "up" ? -1 : 1))
        expect(cursor(next).column).toBeLessThanOrEqual(before.column)
      },
    ),
  )
})

test("rows break between words; only a word wider than a row is broken itself", () => {
  const rows = (text: string, columns: number): readonly string[] =>
    editorRows({ text, at: 0 }, columns, 20, ">").rows.map((row) => row.slice(2))
  expect(rows("use words and emoji here", 15)).toEqual(["use words", "and emoji", "here"])
  expect(rows("abcdefghijkl mn", 13)).toEqual(["abcdefghij", "kl mn"])
  // The space that does not fit stays at the end of its row.
  expect(rows("abcdefghij klm", 13)).toEqual(["abcdefghij", "klm"])
  expect(editorRows({ text: "abcdefghij klm", at: 11 }, 13, 20, ">").cursor).toEqual({ row: 1, column: 2 })
})

test("of a long draft it is said how much is hidden above and below", () => {
  const text = Array.from({ length: 27 }, (_, i) => `line ${i + 1}`).join("\n")
  const at = (line: number): ReturnType<typeof editorRows> =>
    editorRows({ text, at: text.indexOf(`line ${line}\n`) }, 40, 8, ">")
  const plain = (rows: readonly string[]): readonly string[] => rows.map((row) => Bun.stripANSI(row).trim())
  expect(plain(at(1).rows)).toEqual(["> line 1", "line 2", "line 3", "line 4", "line 5", "line 6", "↓ 21 more lines"])
  const middle = at(20)
  expect(plain(middle.rows)).toEqual([
    "↑ 14 more lines",
    "line 15",
    "line 16",
    "line 17",
    "line 18",
    "line 19",
    "line 20",
    "↓ 7 more lines",
  ])
  expect(middle.cursor).toEqual({ row: 6, column: 2 })
})
