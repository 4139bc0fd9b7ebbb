/** A pasted key: kept for its owner alone, read back, and never taken from a file that is not one. */

import { expect, test } from "bun:test"
import { mkdirSync, statSync, writeFileSync } from "node:fs"
import { keepKey, keptKey } from "#ground/settings/kept-key.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("it comes back, and only its owner can read it", () => {
  using folder = temporaryFolder()
  const state = folder.join("state")
  expect(keptKey(state)).toBeUndefined()
  expect(keepKey(state, "sk-1")).toEqual({ ok: true, value: undefined })
  expect(keepKey(state, "sk-2")).toEqual({ ok: true, value: undefined })
  expect(keptKey(state)).toBe("sk-2")
  expect(statSync(folder.join("state/key.json")).mode & 0o777).toBe(0o600)
  expect(statSync(state).mode & 0o777).toBe(0o700)
})

test.each(["", "{", "[]", '"sk"', "{}", '{ "apiKey": 7 }', '{ "apiKey": "" }'])(
  "a file that holds %j holds no key",
  (text) => {
    using folder = temporaryFolder()
    writeFileSync(folder.join("key.json"), text)
    expect(keptKey(folder.path)).toBeUndefined()
  },
)

test("where it cannot be written, it says so and what to do instead", () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("key.json"))
  const kept = keepKey(folder.path, "sk-1")
  expect(kept.ok).toBe(false)
  expect(!kept.ok && kept.failure).toContain("Set ANTHROPIC_API_KEY instead.")
})
