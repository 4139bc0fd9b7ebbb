/** A long conversation is laid out only where one looks, and every row of it can be reached. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { openPages, type Top } from "#faces/tui/pager/pages.ts"
import type { Item } from "#faces/view/item.ts"

const notice = (text: string): Item => ({ kind: "notice", level: "info", text })

test("of ten thousand items, those on the screen are laid out, wherever one goes", () => {
  const items = Array.from({ length: 10_000 }, (_, i) => notice(`item ${i}`))
  let drawn = 0
  const pages = openPages(
    () => items,
    (item) => {
      drawn++
      return ["", item.kind === "notice" ? item.text : ""]
    },
  )
  expect(pages.rows("end", 20).at(-1)).toBe("item 9999")
  expect(drawn).toBeLessThan(30)
  const start = pages.moved({ item: 0, row: 0 }, 0, 20)
  expect(pages.rows(start, 20).slice(0, 2)).toEqual(["", "item 0"])
  expect(drawn).toBeLessThan(60)
  expect(pages.find("ITEM 77")).toHaveLength(111)
  expect(drawn).toBeLessThan(200)
})

test("rows come in their order, however one moves", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 1, max: 12 }),
      fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 30 }),
      (heights, room, moves) => {
        const items = heights.map((height, i) => notice(`${i} ${height}`))
        const rowsOf = (item: Item): readonly string[] => {
          const [i = "", height = "0"] = item.kind === "notice" ? item.text.split(" ") : []
          return Array.from({ length: Number(height) }, (_, row) => `${i}.${row}`)
        }
        const all = items.flatMap(rowsOf)
        const pages = openPages(() => items, rowsOf)
        const most = Math.max(0, all.length - room)
        let top: Top = "end"
        let first = most
        for (const by of moves) {
          top = pages.moved(top, by, room)
          first = Math.max(0, Math.min(most, first + by))
          expect(pages.rows(top, room)).toEqual(all.slice(first, first + room))
        }
      },
    ),
  )
})
