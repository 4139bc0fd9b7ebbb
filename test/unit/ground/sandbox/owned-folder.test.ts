/** Temporary folders of killed processes are removed by the next one, and no others. */

import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { ownedFolder } from "#ground/sandbox/owned-folder.ts"
import { ownerName } from "#ground/sandbox/owner.ts"
import { systemIds } from "#lib/ids.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("what is left of a process that ended goes, also if it cannot be read; what others use stays", () => {
  using place = temporaryFolder()
  const [namespace = "", pid = "", start = ""] = ownerName().split("-")
  const ended = `codewright-sandbox-${namespace}-${pid}-${Number(start) - 1}.x`
  const stay = [
    `codewright-sandbox-${ownerName()}.y`,
    // Another container's pids mean nothing here.
    `codewright-sandbox-1${namespace}-${pid}-1.z`,
    "codewright-sandbox-abc",
    "codewright-other",
  ]
  for (const name of [ended, ...stay]) mkdirSync(place.join(name))
  mkdirSync(place.join(ended, "sandbox/sealed-folder"), { recursive: true })
  chmodSync(place.join(ended, "sandbox/sealed-folder"), 0)
  const made = ownedFolder(place.path, "codewright-sandbox", systemIds)
  expect(
    readdirSync(place.path)
      .map((name) => join(place.path, name))
      .sort(),
  ).toEqual([...stay.map((name) => place.join(name)), made].sort())
  expect(existsSync(made)).toBe(true)
})
