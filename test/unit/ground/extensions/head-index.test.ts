/** What heads said is kept between starts, and counts only for files that are as they were. */

import { expect, test } from "bun:test"
import { existsSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { type Head, openHeadIndex } from "#ground/extensions/head-index.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const head = (name: string): Head => ({
  name,
  kind: "skill",
  source: "user",
  description: `About ${name}`,
  takes: "",
  argumentNames: [],
  allowedTools: [],
  disallowedTools: [],
  isForModel: true,
  isForPerson: true,
  problems: [],
})

test("known to the next process, unless the file was written since, even with its old size and time", () => {
  using folder = temporaryFolder()
  const files = Array.from({ length: 60 }, (_, i) => ({ name: `s${i}`, path: folder.join(`s${i}.md`) }))
  for (const { path } of files) writeFileSync(path, "one")
  const first = openHeadIndex(folder.path)
  for (const file of files) {
    expect(first.get(file)).toBeUndefined()
    first.put(file, head(file.name))
  }
  first.save()
  const second = openHeadIndex(folder.path)
  expect(files.map((file) => second.get(file))).toEqual(files.map(({ name }) => head(name)))
  const changed = folder.join("s7.md")
  const { atime, mtime } = statSync(changed)
  writeFileSync(changed, "two")
  utimesSync(changed, atime, mtime)
  expect(second.get({ name: "s7", path: changed })).toBeUndefined()
  // The same file under another name is another command.
  expect(second.get({ name: "other", path: folder.join("s8.md") })).toBeUndefined()
  expect(second.get({ name: "s9", path: folder.join("gone.md") })).toBeUndefined()
})

test("few files are not worth one, and a damaged one is none", () => {
  using folder = temporaryFolder()
  const path = folder.join("a.md")
  writeFileSync(path, "one")
  const index = openHeadIndex(folder.path)
  index.put({ name: "a", path }, head("a"))
  index.save()
  expect(existsSync(folder.join("cache"))).toBe(false)
  writeFileSync(folder.join("b.md"), "one")
  expect(openHeadIndex("/proc/nowhere").get({ name: "a", path })).toBeUndefined()
})
