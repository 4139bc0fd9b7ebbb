/** What someone set and nothing follows is said. */

import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Explanation } from "#ground/settings/explain.ts"
import { settingsJsonSchema } from "#ground/settings/schema.ts"
import { settingMeanings } from "#ground/settings/setting-meanings.ts"
import { unfollowed, unusedKeys } from "#ground/settings/unused.ts"
import type { JsonValue } from "#lib/json.ts"

const said = (values: { readonly [key: string]: JsonValue }, leftOut: { readonly [key: string]: string } = {}) => ({
  layers: [{ name: "user settings" as const, file: "/home/a.json", value: values }],
  explain: (key: string): Explanation => {
    const value = values[key]
    return value === undefined
      ? { key, value, from: [] }
      : { key, value, from: [{ source: "user settings", file: "/home/a.json", value }] }
  },
  leftOut: Object.entries(leftOut).map(([key, file]) => ({ key, file, count: 1, why: "untrusted" as const })),
})

test("a key that nothing follows is named, whether or not its folder is trusted", () => {
  expect(unusedKeys(said({ forceLoginMethod: "x" }, { teams: "/repo/b.json" }))).toEqual(["forceLoginMethod", "teams"])
})

test("so is a key inside of one that is followed in part", () => {
  const values = {
    attribution: { commit: "", pr: "by hand" },
    memory: { auto: true, size: 3 },
    statusLine: { type: "command", command: "x", padding: 1, refreshInterval: 5 },
  }
  expect(unusedKeys(said(values))).toEqual(["attribution.pr", "memory.size", "statusLine.refreshInterval"])
})

test("what is followed needs no word", () => {
  expect(
    unusedKeys(said({ model: "x", sandbox: { enabled: true }, attribution: "always", memory: { auto: true } })),
  ).toEqual([])
})

const root = resolve(import.meta.dir, "../../../../src")
/** Files that say what settings are, not what comes of them. */
const definitions = ["schema", "settings", "setting-meanings", "scope", "wrong-values", "unused"].map(
  (name) => `ground/settings/${name}.ts`,
)

test("every setting is read somewhere, named as without effect, or says itself that it changes nothing", () => {
  const sources = [...new Bun.Glob("**/*.ts").scanSync({ cwd: root })]
    .filter((path) => !definitions.includes(path))
    .map((path) => readFileSync(join(root, path), "utf8"))
  const { properties } = settingsJsonSchema() as { readonly properties: object }
  const lost = Object.keys(properties).filter(
    (key) =>
      key !== "$schema" &&
      !unfollowed.includes(key) &&
      !settingMeanings[key]?.startsWith("Accepted;") &&
      !sources.some((text) => new RegExp(`\\b${key}\\b`).test(text)),
  )
  expect(lost).toEqual([])
})
