/** What someone set and nothing follows is said. */

import { expect, test } from "bun:test"
import { unusedGuards, unusedKeys } from "#ground/settings/unused.ts"
import type { Explanation } from "#ground/settings/explain.ts"

const said = (files: { readonly [key: string]: string }, leftOut: { readonly [key: string]: string } = {}) => ({
  explain: (key: string): Explanation => {
    const file = files[key]
    return file === undefined
      ? { key, value: undefined, from: [] }
      : { key, value: {}, from: [{ source: "user settings", file, value: {} }] }
  },
  leftOut: Object.entries(leftOut).map(([key, file]) => ({ key, file, count: 1, why: "untrusted" as const })),
})

test("the sandbox is a guard, whether or not its folder is trusted", () => {
  expect(unusedGuards(said({ sandbox: "/home/a.json" }, { sandbox: "/repo/b.json" }))).toEqual([
    "This version does not follow sandbox yet, so what /home/a.json and /repo/b.json would guard by that is not guarded. " +
      "Deny and ask rules are followed: codewright permissions add deny <rule>",
  ])
  expect(unusedKeys(said({ statusLine: "/home/a.json" }, { sandbox: "/repo/b.json" }))).toEqual([
    "sandbox",
    "statusLine",
  ])
})

test("what is followed needs no word", () => {
  const used = said({ model: "/home/a.json", permissions: "/home/a.json" })
  expect([...unusedGuards(used), ...unusedKeys(used)]).toEqual([])
})
