/** A pasted key: kept for its owner alone, read back, and never taken from a file that is not one. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import fc from "fast-check"
import { forgetKey, keepKey, keptKey, keptNames } from "#ground/settings/kept-key.ts"
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

const openai = { name: "openai", baseUrl: "https://api.openai.com/v1" }
const groq = { name: "groq", baseUrl: "https://api.groq.com/openai/v1" }

test("each provider has its own, a file of an older version keeps its key, and removing one leaves the others", () => {
  using folder = temporaryFolder()
  writeFileSync(folder.join("key.json"), JSON.stringify({ version: 1, apiKey: "sk-ant" }))
  expect(keepKey(folder.path, "sk-openai", openai).ok).toBe(true)
  expect(keepKey(folder.path, "sk-groq", groq).ok).toBe(true)
  expect(keptNames(folder.path)).toEqual(["anthropic", "openai", "groq"])
  expect([keptKey(folder.path), keptKey(folder.path, openai), keptKey(folder.path, groq)]).toEqual([
    "sk-ant",
    "sk-openai",
    "sk-groq",
  ])
  expect(statSync(folder.join("key.json")).mode & 0o777).toBe(0o600)
  expect(forgetKey(folder.path, "openai")).toEqual({ ok: true, value: "removed" })
  expect(forgetKey(folder.path, "openai")).toEqual({ ok: true, value: "absent" })
  expect(keptNames(folder.path)).toEqual(["anthropic", "groq"])
  expect(forgetKey(folder.path)).toEqual({ ok: true, value: "removed" })
  expect(keptKey(folder.path, groq)).toBe("sk-groq")
  expect(forgetKey(folder.path, "groq")).toEqual({ ok: true, value: "removed" })
  expect(existsSync(folder.join("key.json"))).toBe(false)
})

test("a key is for one address", () => {
  using folder = temporaryFolder()
  expect(keepKey(folder.path, "sk-openai", openai).ok).toBe(true)
  expect(keptKey(folder.path, { ...openai, baseUrl: "http://127.0.0.1:9/v1" })).toBeUndefined()
})

test("whatever is kept and removed, what the others have stays as it is", () => {
  const names = ["", "openai", "groq", "mine"]
  const step = fc.record({ name: fc.constantFrom(...names), key: fc.option(fc.stringMatching(/^[!-~]{1,12}$/)) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      using folder = temporaryFolder()
      const wanted = new Map<string, string>()
      const owner = (name: string): typeof openai | undefined =>
        name === "" ? undefined : { name, baseUrl: "https://x" }
      for (const { name, key } of steps) {
        if (key === null) {
          const isThere = wanted.delete(name)
          const done = forgetKey(folder.path, name === "" ? undefined : name)
          expect(done).toEqual({ ok: true, value: isThere ? "removed" : "absent" })
        } else {
          wanted.set(name, key)
          expect(keepKey(folder.path, key, owner(name)).ok).toBe(true)
        }
        for (const one of names) expect(keptKey(folder.path, owner(one))).toBe(wanted.get(one) as string)
      }
    }),
    { numRuns: 60 },
  )
})

test("a file that cannot be read is not overwritten: it may hold keys", () => {
  using folder = temporaryFolder()
  writeFileSync(folder.join("key.json"), '{ "apiKey": "sk-ant", ')
  const kept = keepKey(folder.path, "sk-1", openai)
  expect(!kept.ok && kept.failure).toContain("is not a JSON object. Remove the file, then add the key again.")
  expect(readFileSync(folder.join("key.json"), "utf8")).toBe('{ "apiKey": "sk-ant", ')
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
  expect(!kept.ok && kept.failure).toContain("Set the key's variable, such as ANTHROPIC_API_KEY, instead.")
})
