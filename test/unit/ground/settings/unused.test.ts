/** What someone set and nothing follows is said. */

import { expect, test } from "bun:test"
import type { Explanation } from "#ground/settings/explain.ts"
import { unusedKeys } from "#ground/settings/unused.ts"

const said = (files: { readonly [key: string]: string }, leftOut: { readonly [key: string]: string } = {}) => ({
  explain: (key: string): Explanation => {
    const file = files[key]
    return file === undefined
      ? { key, value: undefined, from: [] }
      : { key, value: {}, from: [{ source: "user settings", file, value: {} }] }
  },
  leftOut: Object.entries(leftOut).map(([key, file]) => ({ key, file, count: 1, why: "untrusted" as const })),
})

test("a key that nothing follows is named, whether or not its folder is trusted", () => {
  expect(unusedKeys(said({ server: "/home/a.json" }, { teams: "/repo/b.json" }))).toEqual(["server", "teams"])
})

test("what is followed needs no word", () => {
  expect(unusedKeys(said({ model: "/home/a.json", sandbox: "/home/a.json" }))).toEqual([])
})
