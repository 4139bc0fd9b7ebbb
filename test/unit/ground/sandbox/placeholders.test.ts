/** Placeholders stand as long as anything needs them, in whichever process, and take nothing away that is not theirs. */

import { expect, test } from "bun:test"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { openPlaceholders } from "#ground/sandbox/placeholders.ts"
import { systemIds } from "#lib/ids.ts"
import { openHandClock } from "../../../kit/hand-clock.ts"
import { type TemporaryFolder, temporaryFolder } from "../../../kit/tmp.ts"

const folderAt = (path: string) => ({ path, because: "a test", placeholder: { kind: "folder" } as const })
const fileAt = (path: string, text: string) => ({
  path,
  because: "a test",
  placeholder: { kind: "file", text } as const,
})

/** The lists of all sessions, and sessions that keep them. */
function world() {
  const lists = temporaryFolder()
  const clock = openHandClock()
  const open = () => openPlaceholders({ clock, ids: systemIds, registry: lists.path })
  return { lists, clock, open, [Symbol.dispose]: () => lists[Symbol.dispose]() }
}

const there = (folder: TemporaryFolder, ...names: readonly string[]) =>
  names.filter((name) => existsSync(folder.join(name)))

test("they stand a little longer than the last command that needs them", async () => {
  using folder = temporaryFolder()
  using w = world()
  const placeholders = w.open()
  const lines = [folderAt(folder.join("settings")), fileAt(folder.join("commondir"), ".")]
  const first = placeholders.acquire(lines)
  const second = placeholders.acquire(lines.slice(0, 1))
  expect(readFileSync(folder.join("commondir"), "utf8")).toBe(".")
  first()
  first()
  await w.clock.pass(5_000)
  expect(there(folder, "settings", "commondir")).toEqual(["settings", "commondir"])
  second()
  expect(there(folder, "settings", "commondir")).toEqual(["settings", "commondir"])
  // One that comes in between needs no others.
  const third = placeholders.acquire(lines)
  await w.clock.pass(5_000)
  expect(there(folder, "settings", "commondir")).toEqual(["settings", "commondir"])
  third()
  await w.clock.pass(5_000)
  expect(there(folder, "settings", "commondir")).toEqual([])
  expect(readdirSync(w.lists.path)).toEqual([])
})

test("what was there before stays, and so does what someone put there meanwhile", () => {
  using folder = temporaryFolder()
  using w = world()
  mkdirSync(folder.join("own"))
  writeFileSync(folder.join("text"), "mine")
  writeFileSync(folder.join("like"), ".")
  const placeholders = w.open()
  placeholders.acquire([
    folderAt(folder.join("own")),
    fileAt(folder.join("text"), "."),
    fileAt(folder.join("like"), "."),
    folderAt(folder.join("used")),
    fileAt(folder.join("written"), "."),
    folderAt(folder.join("no/parent")),
  ])()
  writeFileSync(folder.join("used", "x"), "")
  writeFileSync(folder.join("written"), "something else")
  placeholders.close()
  expect(readFileSync(folder.join("text"), "utf8")).toBe("mine")
  expect(there(folder, "own", "like", "used/x", "written", "no")).toEqual(["own", "like", "used/x", "written"])
})

test("one that somebody removed is put there again for the next command", () => {
  using folder = temporaryFolder()
  using w = world()
  const placeholders = w.open()
  placeholders.acquire([folderAt(folder.join("settings"))])()
  rmdirSync(folder.join("settings"))
  placeholders.acquire([folderAt(folder.join("settings"))])
  expect(existsSync(folder.join("settings"))).toBe(true)
})

test("one session does not take away what another one needs; whoever needs it last does", () => {
  using folder = temporaryFolder()
  using w = world()
  const [one, two] = [w.open(), w.open()]
  const lines = [folderAt(folder.join("settings")), fileAt(folder.join("commondir"), ".")]
  const endFirst = one.acquire(lines)
  const endSecond = two.acquire(lines)
  endFirst()
  one.close()
  expect(there(folder, "settings", "commondir")).toEqual(["settings", "commondir"])
  endSecond()
  two.close()
  expect(there(folder, "settings", "commondir")).toEqual([])
})

test("what a killed process left is removed by the next one, here or in another folder", async () => {
  using folder = temporaryFolder()
  using elsewhere = temporaryFolder()
  using w = world()
  const root = resolve(import.meta.dir, "../../../..")
  const argv = [process.execPath, "test/kit/hold-placeholders.ts", w.lists.path]
  const living = Bun.spawn([...argv, elsewhere.path], { cwd: root, stdout: "pipe" })
  const killed = Bun.spawn([...argv, folder.path], { cwd: root, stdout: "pipe" })
  for (const { stdout } of [living, killed]) await stdout.getReader().read()
  killed.kill("SIGKILL")
  await killed.exited
  expect(there(folder, "settings", "commondir")).toEqual(["settings", "commondir"])
  // It needs one of the two itself.
  const placeholders = w.open()
  placeholders.acquire([folderAt(folder.join("settings")), folderAt(elsewhere.join("settings"))])
  expect(there(folder, "settings", "commondir")).toEqual(["settings"])
  expect(there(elsewhere, "settings", "commondir")).toEqual(["settings", "commondir"])
  living.kill("SIGKILL")
  await living.exited
})

test("without a place for the lists a session is by itself", () => {
  using folder = temporaryFolder()
  const placeholders = openPlaceholders({ clock: openHandClock(), ids: systemIds, registry: "/proc/nowhere/lists" })
  placeholders.acquire([folderAt(folder.join("settings"))])()
  expect(existsSync(folder.join("settings"))).toBe(true)
  placeholders.close()
  expect(existsSync(folder.join("settings"))).toBe(false)
})
