/** What is there and what is not is not looked for again, and a change is noticed at once. */

import { expect, test } from "bun:test"
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { openPathKinds } from "#ground/sandbox/path-kind.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("what appears is seen at the next look, however deep the folder around it was missing", () => {
  using folder = temporaryFolder()
  const later = Date.now() + 60_000
  const look = openPathKinds(() => later)
  const paths = ["key", "config/cloud/token", "config", "link"].map((name) => folder.join(name))
  const seen = () => paths.map(look().kindOf)
  expect(seen()).toEqual([undefined, undefined, undefined, undefined])
  writeFileSync(folder.join("key"), "")
  expect(seen()).toEqual(["file", undefined, undefined, undefined])
  mkdirSync(folder.join("config"))
  expect(seen()).toEqual(["file", undefined, "folder", undefined])
  mkdirSync(folder.join("config/cloud"))
  writeFileSync(folder.join("config/cloud/token"), "")
  symlinkSync("config", folder.join("link"))
  expect(seen()).toEqual(["file", "file", "folder", "file"])
})

test("what goes, or becomes something else, is seen at the next look", () => {
  using folder = temporaryFolder()
  const later = Date.now() + 60_000
  const look = openPathKinds(() => later)
  for (const name of ["one/in", "two/in"]) mkdirSync(folder.join(name), { recursive: true })
  writeFileSync(folder.join("key"), "")
  const paths = ["key", "one", "one/in", "two/in", "/"].map((name) => (name === "/" ? name : folder.join(name)))
  const seen = () => paths.map(look().kindOf)
  expect(seen()).toEqual(["file", "folder", "folder", "folder", "folder"])
  rmSync(folder.join("key"))
  mkdirSync(folder.join("key"))
  rmSync(folder.join("two/in"), { recursive: true })
  expect(seen()).toEqual(["folder", "folder", "folder", undefined, "folder"])
  renameSync(folder.join("one"), folder.join("three"))
  renameSync(folder.join("two"), folder.join("one"))
  expect(seen()).toEqual(["folder", "folder", undefined, undefined, "folder"])
})

test("a folder that has just changed is not believed: its time may not change with the next change", () => {
  using folder = temporaryFolder()
  const look = openPathKinds(Date.now)
  const key = folder.join("key")
  const now = new Date()
  utimesSync(folder.path, now, now)
  expect(look().kindOf(key)).toBe(undefined)
  writeFileSync(key, "")
  utimesSync(folder.path, now, now)
  expect(look().kindOf(key)).toBe("file")
})

test("answers hold until something changes where they were looked for, also where there was no folder", () => {
  using folder = temporaryFolder()
  const later = Date.now() + 60_000
  const kinds = openPathKinds(() => later)
  const paths = ["key", "config/cloud/token", "dangling/key"].map((name) => folder.join(name))
  symlinkSync("nowhere", folder.join("dangling"))
  const answers = () => {
    const look = kinds()
    return { look, found: paths.map(look.kindOf) }
  }
  const { look } = answers()
  expect(kinds().holds(look.basis())).toBe(true)
  mkdirSync(folder.join("config"))
  expect(kinds().holds(look.basis())).toBe(false)
  const again = answers()
  expect(kinds().holds(again.look.basis())).toBe(true)
  mkdirSync(folder.join("config/cloud"))
  expect(kinds().holds(again.look.basis())).toBe(false)
  mkdirSync(folder.join("nowhere"))
  writeFileSync(folder.join("nowhere/key"), "")
  expect(answers().found).toEqual([undefined, undefined, "file"])
})

test("what was found in a folder that has just changed holds for no second look", () => {
  using folder = temporaryFolder()
  const kinds = openPathKinds(Date.now)
  writeFileSync(folder.join("other"), "")
  const look = kinds()
  look.kindOf(folder.join("key"))
  expect(kinds().holds(look.basis())).toBe(false)
})
