/** Whether a project is large is counted no further than the answer needs. */

import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { holdsMoreThan } from "#ground/snapshots/is-large.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("files, folders and links count; git's own data and what links lead to do not", () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("a/b"), { recursive: true })
  mkdirSync(folder.join(".git/objects"), { recursive: true })
  for (const name of ["a/1", "a/b/2", ".git/objects/x"]) writeFileSync(folder.join(name), "")
  symlinkSync("..", folder.join("a/b/up"))
  expect(holdsMoreThan(4, [folder.path])).toBe(true)
  expect(holdsMoreThan(5, [folder.path])).toBe(false)
})

test("git's index says it at once, and a broken one says nothing", () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join(".git"))
  const head = Buffer.from("DIRC\0\0\0\u0002\0\0\0\0", "latin1")
  head.writeUInt32BE(3_000, 8)
  writeFileSync(folder.join(".git/index"), head)
  expect([holdsMoreThan(2_999, [folder.path]), holdsMoreThan(3_000, [folder.path])]).toEqual([true, false])
  writeFileSync(folder.join(".git/index"), "DIRC")
  expect(holdsMoreThan(0, [folder.path])).toBe(false)
})

test("what cannot be read counts as empty", () => {
  expect(holdsMoreThan(0, ["/nonexistent-folder"])).toBe(false)
})
