/** Placeholders stand as long as anything needs them, and take nothing away that is not theirs. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { openPlaceholders } from "#ground/sandbox/placeholders.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const folderAt = (path: string) => ({ path, because: "a test", placeholder: { kind: "folder" } as const })
const fileAt = (path: string, text: string) => ({
  path,
  because: "a test",
  placeholder: { kind: "file", text } as const,
})

test("they stand until the last command that needs them has ended", () => {
  using folder = temporaryFolder()
  const [settings, common] = [folder.join("settings"), folder.join("commondir")]
  const placeholders = openPlaceholders()
  const first = placeholders.hold([folderAt(settings), fileAt(common, ".")])
  const second = placeholders.hold([folderAt(settings)])
  expect(readFileSync(common, "utf8")).toBe(".")
  first()
  first()
  expect([existsSync(settings), existsSync(common)]).toEqual([true, false])
  second()
  expect(existsSync(settings)).toBe(false)
})

test("what was there before stays, and so does what someone put there meanwhile", () => {
  using folder = temporaryFolder()
  mkdirSync(folder.join("own"))
  writeFileSync(folder.join("text"), "mine")
  const release = openPlaceholders().hold([
    folderAt(folder.join("own")),
    fileAt(folder.join("text"), "."),
    folderAt(folder.join("used")),
    fileAt(folder.join("written"), "."),
    folderAt(folder.join("no/parent")),
  ])
  writeFileSync(folder.join("used", "x"), "")
  writeFileSync(folder.join("written"), "something else")
  release()
  expect(readFileSync(folder.join("text"), "utf8")).toBe("mine")
  expect(["own", "used/x", "written"].every((name) => existsSync(folder.join(name)))).toBe(true)
  expect(existsSync(folder.join("no"))).toBe(false)
})

test("one that a killed process left is taken over and removed", () => {
  using folder = temporaryFolder()
  writeFileSync(folder.join("commondir"), ".")
  openPlaceholders().hold([fileAt(folder.join("commondir"), ".")])()
  expect(existsSync(folder.join("commondir"))).toBe(false)
})
