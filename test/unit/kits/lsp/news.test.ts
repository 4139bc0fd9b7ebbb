import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Problem } from "#ground/lsp/protocol.ts"
import { compare, errorsIn, isNews, knownOf, newsWords } from "#kits/lsp/news.ts"

const error = (message: string, line = 1): Problem => ({ line, column: 1, severity: "error", message })
const errors = fc
  .array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 })
  .map((all) => all.map((one) => error(one)))

test("what is new and what is gone add up, wherever the lines moved", () => {
  fc.assert(
    fc.property(errors, errors, (before, after) => {
      const moved = after.map((one) => ({ ...one, line: one.line + 40 }))
      const { fresh, gone, left } = compare(knownOf(before), moved)
      expect(before.length - gone + fresh.length).toBe(left)
      expect(left).toBe(after.length)
      // Told once, it is no news.
      expect(isNews(compare(knownOf(moved), moved))).toBe(false)
    }),
  )
})

test("only errors count, and the words say what came and what went", () => {
  const all: readonly Problem[] = [
    error("x"),
    { ...error("y"), severity: "warning" },
    { ...error("z"), severity: "info" },
  ]
  expect(errorsIn(all)).toEqual([error("x")])
  const file = { path: "/p/a.ts", server: "ts", isCompared: true }
  const show = (path: string): string => path.slice(3)
  const news = newsWords(
    [
      { ...file, ...compare(knownOf([error("old")]), [error("new\n  line", 7)]) },
      { ...file, path: "/p/b.ts", ...compare(knownOf([error("1"), error("2")]), [error("2")]) },
    ],
    show,
  )
  expect(news.split("\n").slice(1)).toEqual([
    "New errors in a.ts:",
    "- 7:1 new line",
    "1 error in a.ts is gone.",
    "1 error in b.ts is gone. 1 error left.",
  ])
})
