/** How often what was used, on the disk: bounded, private, shared by sessions, and never in the way. */

import { expect, test } from "bun:test"
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { openUses } from "#faces/cli/terminal/uses-file.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

test("two sessions count into one file, which only its owner reads", async () => {
  using tmp = temporaryFolder()
  const [one, other] = [openUses({ state: tmp.path, pid: 1 }), openUses({ state: tmp.path, pid: 2 })]
  one.add("/compact")
  other.add("/compact")
  one.add("palette")
  expect(await other.load()).toEqual(
    new Map([
      ["/compact", 2],
      ["palette", 1],
    ]),
  )
  expect(statSync(tmp.join("uses.txt")).mode & 0o777).toBe(0o600)
})

test("old uses are forgotten, but not that a key was ever used", async () => {
  using tmp = temporaryFolder()
  const lines = ["to-background", "/old", ...Array.from({ length: 2500 }, () => "/model")]
  writeFileSync(tmp.join("uses.txt"), `${lines.join("\n")}\n`)
  const uses = openUses({ state: tmp.path, pid: 1 })
  await uses.load()
  expect(await uses.load()).toEqual(
    new Map([
      ["to-background", 1],
      ["/model", 1000],
    ]),
  )
  expect(readFileSync(tmp.join("uses.txt"), "utf8").split("\n").length).toBeLessThan(1010)
})

test("a folder that cannot be written and names that are none change nothing", async () => {
  using tmp = temporaryFolder()
  const uses = openUses({ state: tmp.join("none", "such"), pid: 1 })
  expect(await uses.load()).toEqual(new Map())
  const readOnly = openUses({ state: tmp.path, pid: 1 })
  readOnly.add(`two\nlines`)
  readOnly.add("x".repeat(1000))
  chmodSync(tmp.path, 0o500)
  readOnly.add("/model")
  chmodSync(tmp.path, 0o700)
  expect((await readOnly.load()).has("two")).toBe(false)
})
