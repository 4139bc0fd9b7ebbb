/** What was worked out from files is kept between starts, and counts only as long as none of them was touched. */

import { expect, test } from "bun:test"
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { openKeptResult, statesOf } from "#ground/extensions/kept-result.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const value = { heads: ["one", "two"] }

/** A result of three files, one of which does not exist yet; `change` happens between two starts. */
function readAfter(change: (join: (path: string) => string) => void, links: "own" | "followed" = "own"): unknown {
  using folder = temporaryFolder()
  const { join } = folder
  mkdirSync(join("s"))
  writeFileSync(join("s/a.md"), "one")
  writeFileSync(join("s/b.md"), "two")
  const paths = ["s", "s/a.md", "s/b.md", "later"].map((path) => join(path))
  openKeptResult(join("kept.json"), links).write({ key: "k", paths, sinceMs: Date.now() + 10_000, value })
  change(join)
  return openKeptResult(join("kept.json"), links).read("k")?.value
}

test("known to the next process", () => {
  expect(readAfter(() => {})).toEqual(value)
})

test.each<[string, (join: (path: string) => string) => void]>([
  [
    "written with its old size and time",
    (join) => {
      const { atime, mtime } = statSync(join("s/a.md"))
      writeFileSync(join("s/a.md"), "eno")
      utimesSync(join("s/a.md"), atime, mtime)
    },
  ],
  ["removed", (join) => rmSync(join("s/a.md"))],
  ["added to a folder", (join) => writeFileSync(join("s/c.md"), "three")],
  ["made where there was none", (join) => writeFileSync(join("later"), "")],
  [
    "replaced by a link to the same text",
    (join) => {
      renameSync(join("s/a.md"), join("a.md"))
      symlinkSync(join("a.md"), join("s/a.md"))
    },
  ],
  ["a cut result", (join) => writeFileSync(join("kept.json"), readFileSync(join("kept.json"), "utf8").slice(0, -9))],
  ["a result of nonsense", (join) => writeFileSync(join("kept.json"), '{"version":1,"paths":[3]}')],
  ["no result", (join) => rmSync(join("kept.json"))],
])("not known any more: %s", (_, change) => {
  expect(readAfter(change)).toBeUndefined()
})

test("another key is another result", () => {
  using folder = temporaryFolder()
  const kept = openKeptResult(folder.join("kept.json"), "own")
  kept.write({ key: "k", paths: [], sinceMs: Date.now(), value })
  expect([kept.read("k")?.value, kept.read("other")]).toEqual([value, undefined])
})

test("a file that was just written may change again without looking different, so nothing is kept", () => {
  using folder = temporaryFolder()
  writeFileSync(folder.join("a.md"), "one")
  const kept = openKeptResult(folder.join("kept.json"), "own")
  kept.write({ key: "k", paths: [folder.join("a.md")], sinceMs: Date.now(), value })
  expect(kept.read("k")).toBeUndefined()
})

test("what changed while it was read is not kept as if it had been read", () => {
  using folder = temporaryFolder()
  const paths = [folder.join("a.md")]
  writeFileSync(folder.join("a.md"), "one")
  const states = statesOf(paths, "own")
  writeFileSync(folder.join("a.md"), "two, longer")
  const kept = openKeptResult(folder.join("kept.json"), "own")
  kept.write({ key: "k", paths, states, sinceMs: Date.now() + 10_000, value })
  expect(kept.read("k")).toBeUndefined()
})
