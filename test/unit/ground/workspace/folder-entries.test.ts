/** Folders that change between two looks at them: what is seen is what is there, however little time lies between. */

import { describe, expect, test } from "bun:test"
import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { openFolderEntries, type ReadFolder } from "#ground/workspace/search/folder-entries.ts"
import { systemClock } from "#lib/clock.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

/** A folder with a file in it, and two ways to look: as always, and as if it had been left alone for a while. */
function aFolder() {
  const top = temporaryFolder()
  const at = (name: string): string => top.join("folder", name)
  mkdirSync(top.join("folder"))
  writeFileSync(at("a"), "")
  return {
    [Symbol.dispose]: () => top[Symbol.dispose](),
    path: top.join("folder"),
    top,
    at,
    asAlways: openFolderEntries(),
    asSettled: openFolderEntries(() => systemClock.now() + 60_000),
    /** Until the system would give another time stamp. */
    tick(): void {
      const before = statSync(top.join("folder"), { bigint: true }).ctimeNs
      do writeFileSync(top.join("scratch"), "")
      while (statSync(top.join("scratch"), { bigint: true }).ctimeNs <= before)
    },
  }
}

const names = (read: ReadFolder, folder: string): readonly string[] | undefined =>
  read(folder)
    ?.map(({ name, isFolder, isLink }) => `${name}${isFolder ? "/" : ""}${isLink ? "@" : ""}`)
    .toSorted()

describe("a folder that was left alone", () => {
  test("is not read again", () => {
    using t = aFolder()
    const before = t.asSettled(t.path)
    expect(before).toEqual([{ name: "a", isFolder: false, isLink: false }])
    // Elsewhere nobody vouches for the time stamps.
    if (process.platform === "linux") expect(t.asSettled(t.path)).toBe(before)
  })

  test("is read again after every kind of change", () => {
    using t = aFolder()
    const looks = (): readonly string[] | undefined => {
      const seen = names(t.asSettled, t.path)
      t.tick()
      return seen
    }
    expect(looks()).toEqual(["a"])
    writeFileSync(t.at("b"), "")
    expect(looks()).toEqual(["a", "b"])
    unlinkSync(t.at("b"))
    symlinkSync("/etc", t.at("b"))
    expect(looks()).toEqual(["a", "b@"])
    unlinkSync(t.at("a"))
    mkdirSync(t.at("a"))
    expect(looks()).toEqual(["a/", "b@"])
    rmdirSync(t.at("a"))
    renameSync(t.at("b"), t.at("a"))
    expect(looks()).toEqual(["a@"])
    const { atime, mtime } = statSync(t.path)
    writeFileSync(t.at("c"), "")
    utimesSync(t.path, atime, mtime)
    expect(looks()).toEqual(["a@", "c"])
    rmSync(t.path, { recursive: true })
    expect(t.asSettled(t.path)).toBeUndefined()
    writeFileSync(t.path, "")
    expect(t.asSettled(t.path)).toBeUndefined()
  })

  test("may be another one: a link leads elsewhere, or a folder took its place", () => {
    using t = aFolder()
    const link = t.top.join("link")
    mkdirSync(t.top.join("other"))
    writeFileSync(t.top.join("other", "z"), "")
    symlinkSync("folder", link)
    expect(names(t.asSettled, link)).toEqual(["a"])
    unlinkSync(link)
    symlinkSync("other", link)
    expect(names(t.asSettled, link)).toEqual(["z"])
    expect(names(t.asSettled, t.path)).toEqual(["a"])
    renameSync(t.path, t.top.join("gone"))
    renameSync(t.top.join("other"), t.path)
    expect(names(t.asSettled, t.path)).toEqual(["z"])
  })
})

test("a folder that changes faster than its time stamps is read every time", () => {
  using t = aFolder()
  for (let i = 0; i < 200; i++) {
    expect(names(t.asAlways, t.path)).toEqual(["a"])
    unlinkSync(t.at("a"))
    symlinkSync("/etc", t.at("a"))
    expect(names(t.asAlways, t.path)).toEqual(["a@"])
    unlinkSync(t.at("a"))
    writeFileSync(t.at("a"), "")
  }
})

test("a folder without honest time stamps is read every time", () => {
  using t = aFolder()
  if (process.platform !== "linux") return
  const before = t.asSettled("/proc/self/fd")?.length ?? 0
  const opened = [0, 1, 2].map(() => openSync(t.at("a"), "r"))
  try {
    expect(t.asSettled("/proc/self/fd")?.length).toBe(before + 3)
  } finally {
    opened.forEach(closeSync)
  }
})
