/** Lists that are written as one string. */

import { expect, test } from "bun:test"
import { splitList } from "#lib/split-list.ts"

test("a list in one string is split outside parentheses", () => {
  expect(splitList("Read,Bash(git log *) Edit(a, b), ,mcp__x")).toEqual([
    "Read",
    "Bash(git log *)",
    "Edit(a, b)",
    "mcp__x",
  ])
  expect(splitList("")).toEqual([])
})
