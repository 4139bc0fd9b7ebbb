/** A folder is listed again whenever it may have changed, and only then. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { openKnownFolders } from "#ground/workspace/search/known-folders.ts"
import { plainDisk } from "#ground/workspace/plain-disk.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const opened = (late: number) => {
  let lists = 0
  const disk = { ...plainDisk, list: (folder: string) => (lists++, plainDisk.list(folder)) }
  // With a clock that is ahead, what was just changed counts as old.
  const known = openKnownFolders({ disk, now: () => Date.now() + late })
  return { known, lists: () => lists }
}

test("an old folder is listed once, a new one each time", () => {
  using folder = temporaryFolder()
  const old = opened(10_000)
  old.known.list(folder.path)
  expect([old.known.isKnown(folder.path), old.known.list(folder.path), old.lists()]).toEqual([true, [], 1])
  const young = opened(0)
  young.known.list(folder.path)
  expect([young.known.isKnown(folder.path), young.known.list(folder.path), young.lists()]).toEqual([false, [], 2])
})

test("whatever is done to folders, the list is the disk's", async () => {
  const step = fc.record({
    act: fc.constantFrom("add", "remove", "rename", "replace", "backdate"),
    at: fc.constantFrom("a", "b", "a/c"),
    name: fc.constantFrom("x", "y"),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      using folder = temporaryFolder()
      for (const name of ["a/c", "b"]) mkdirSync(folder.join(name), { recursive: true })
      const { known } = opened(10_000)
      for (const { act, at, name } of steps) {
        // Longer than the disk's clock stands still.
        await Bun.sleep(12)
        const path = folder.join(at, name)
        try {
          if (act === "add") writeFileSync(path, "")
          if (act === "remove") rmSync(path)
          if (act === "rename") renameSync(folder.join(at), folder.join(name))
          if (act === "replace") renameSync(folder.join(name), folder.join(at))
          if (act === "backdate") utimesSync(folder.join(at), 0, 0)
        } catch {
          // It is not there, or something is in its place.
        }
        for (const each of ["", "a", "b", "a/c", "x", "y"].map((part) => folder.join(part)))
          expect(known.list(each)).toEqual(plainDisk.list(each))
      }
    }),
    { numRuns: 25 },
  )
}, 300_000)

test("a folder that cannot be listed is reported once", () => {
  using folder = temporaryFolder()
  const { known } = opened(0)
  const disk = { ...plainDisk, list: () => [], names: () => undefined }
  const closed = openKnownFolders({ disk, now: Date.now })
  closed.list(folder.path)
  expect([closed.takeUnreadable(), closed.takeUnreadable(), known.takeUnreadable()]).toEqual([[folder.path], [], []])
})
