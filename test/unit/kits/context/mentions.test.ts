/** What in a prompt is a mention. */

import { expect, test } from "bun:test"
import * as fc from "fast-check"
import { mentionsIn } from "#kits/context/mentions.ts"

test("a path after an at sign at the start of a word, with lines where they are named", () => {
  expect(mentionsIn('@a.ts @src/b.ts#L10-20, (@c.md) "@d.md" @~/e @/f/g.txt#L7. @h.ts#L9-L12! @a.ts')).toEqual([
    { path: "a.ts" },
    { path: "src/b.ts", from: 10, to: 20 },
    { path: "c.md" },
    { path: "d.md" },
    { path: "~/e" },
    { path: "/f/g.txt", from: 7, to: 7 },
    { path: "h.ts", from: 9, to: 12 },
  ])
  expect(mentionsIn(`@"my file.txt"#L2-3 and @'other one.md'`)).toEqual([
    { path: "my file.txt", from: 2, to: 3 },
    { path: "other one.md" },
  ])
})

test("addresses, lone signs and ranges that go backwards do no harm", () => {
  expect(mentionsIn("mail me@home.net, @ @@ #L3 a@b")).toEqual([{ path: "@" }])
  expect(mentionsIn("@a#L9-3 @b#L0")).toEqual([
    { path: "a", from: 9, to: 9 },
    { path: "b", from: 1, to: 1 },
  ])
})

test("whatever is written, mentions have a path and their lines are in order, and it is quick", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("@", "a", "/", ".", " ", '"', "'", "#", "L", "1", "-", "(", "\n") }),
      (text) => {
        for (const { path, from = 1, to = 1 } of mentionsIn(text)) {
          expect(path).not.toBe("")
          expect(to).toBeGreaterThanOrEqual(from)
        }
      },
    ),
  )
  mentionsIn(`@${'"'.repeat(100_000)}`)
  mentionsIn(`@a#L1${"-".repeat(100_000)}`)
  mentionsIn("@a".repeat(100_000))
})
