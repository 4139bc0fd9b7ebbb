/** What a snapshot finds, what it keeps, and what it leaves out. */

import { expect, test } from "bun:test"
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { SnapshotLimits } from "#ground/snapshots/limits.ts"
import { openSnapshots, type Snapshots } from "#ground/snapshots/snapshots.ts"
import type { Snapshot } from "#ground/snapshots/snapshot-writer.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { Result } from "#lib/result.ts"
import { temporaryFolder, type TemporaryFolder } from "../../../kit/tmp.ts"

const signal = new AbortController().signal

function open(folder: TemporaryFolder, limits: Partial<SnapshotLimits> = {}, more: object = {}): Snapshots {
  mkdirSync(folder.join("work"), { recursive: true })
  return valueOf(
    openSnapshots({
      folder: folder.join("store"),
      roots: () => [folder.join("work")],
      excluded: [],
      clock: systemClock,
      ids: systemIds,
      pid: process.pid,
      limits,
      ...more,
    }),
  )
}

function valueOf<T, F>(result: Result<T, F>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure))
  return result.value
}

const take = async (snapshots: Snapshots, by: "agent" | "person" = "agent"): Promise<Snapshot> =>
  valueOf(await snapshots.saveAll(by, signal))

function put(folder: TemporaryFolder, name: string, content: string | Uint8Array = name): string {
  const path = folder.join("work", name)
  mkdirSync(join(path, ".."), { recursive: true })
  writeFileSync(path, content)
  return path
}

const contentAt = (snapshots: Snapshots, id: string, path: string): string | undefined => {
  const state = valueOf(snapshots.treeAt(id)).states.get(path)
  return state?.kind === "file" ? Buffer.from(valueOf(snapshots.content(state.hash))).toString() : undefined
}

test("nothing changed: the snapshot is the same one, and touching a file changes nothing", async () => {
  using folder = temporaryFolder()
  const path = put(folder, "a.txt")
  const snapshots = open(folder)
  const first = await take(snapshots)
  utimesSync(path, 1000, 1000)
  expect((await take(snapshots)).id).toBe(first.id)
  expect(snapshots.numbers().snapshots).toBe(1)
  await snapshots.close()
})

test("a change of the same length whose time was set back is found", async () => {
  using folder = temporaryFolder()
  const path = put(folder, "a.txt", "one")
  utimesSync(path, 1000, 1000)
  const snapshots = open(folder)
  await take(snapshots)
  // The first look must be old enough for its stamp to be trusted.
  await Bun.sleep(130)
  await take(snapshots)
  writeFileSync(path, "two")
  utimesSync(path, 1000, 1000)
  const second = await take(snapshots)
  expect(contentAt(snapshots, second.id, path)).toBe("two")
  await snapshots.close()
})

test("changes right after a look are found every time, whatever the clock of the disk says", async () => {
  using folder = temporaryFolder()
  const path = put(folder, "a.txt", "00000")
  const snapshots = open(folder)
  await take(snapshots)
  for (let round = 1; round < 60; round++) {
    const text = String(round).padStart(5, "0")
    writeFileSync(path, text)
    expect(contentAt(snapshots, (await take(snapshots)).id, path)).toBe(text)
  }
  await snapshots.close()
})

test("an empty file that is filled, emptied, touched and replaced right after a look is found as it is", async () => {
  using folder = temporaryFolder()
  const path = put(folder, "a.txt", "")
  const snapshots = open(folder)
  const first = await take(snapshots)
  utimesSync(path, 1000, 1000)
  expect((await take(snapshots)).id).toBe(first.id)
  // Restoring compares with what was seen last, so a new time has to be known.
  const state = snapshots.now().states.get(path)
  expect(state?.kind === "file" && state.stamp.modifiedMs).toBe(1_000_000)
  for (const text of ["x", "", "xy", ""]) {
    writeFileSync(path, text)
    expect(contentAt(snapshots, (await take(snapshots)).id, path)).toBe(text)
  }
  await snapshots.close()
})

test("a snapshot waits for whoever cleaned up when the store was opened, and for nobody after that", async () => {
  using folder = temporaryFolder()
  put(folder, "a.txt")
  const mark = folder.join("store", `cleaning-${process.pid}`)
  let waits = 0
  const clock = {
    ...systemClock,
    async sleep() {
      if (++waits === 3) rmSync(mark)
    },
  }
  const snapshots = open(folder, {}, { pid: 1, clock })
  writeFileSync(mark, "")
  const { id } = await take(snapshots)
  expect(waits).toBe(3)
  // Whoever comes later sees that the store is open, and cleans up nothing.
  writeFileSync(mark, "")
  expect((await take(snapshots)).id).toBe(id)
  expect(waits).toBe(3)
  await snapshots.close()
})

test("the store is private, holds each content once, and little more than what changed", async () => {
  using folder = temporaryFolder()
  const noise = crypto.getRandomValues(new Uint8Array(50_000))
  put(folder, "a.bin", noise)
  put(folder, "deep/b.bin", noise)
  const snapshots = open(folder)
  await take(snapshots)
  expect(snapshots.numbers().bytes).toBeLessThan(60_000)
  expect(statSync(folder.join("store")).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(folder.join("store")))
    expect(statSync(folder.join("store", name)).mode & 0o777).toBe(0o600)
  await snapshots.close()
})

test("what is not covered is named with its reason; the rest is covered, also what is ignored", async () => {
  using folder = temporaryFolder()
  put(folder, ".gitignore", "*.log\nbig/\n")
  put(folder, "debug.log", "ignored, but small")
  put(folder, ".git/HEAD", "ref: refs/heads/main")
  for (let i = 0; i < 12; i++) put(folder, `node_modules/pkg/${i}.js`)
  for (let i = 0; i < 12; i++) put(folder, `big/${i}.bin`)
  put(folder, "packages/small/node_modules/one.js")
  const huge = put(folder, "huge.bin", "")
  truncateSync(huge, 5000)
  Bun.spawnSync(["mkfifo", folder.join("work", "pipe")])
  const snapshots = open(folder, { toolFiles: 10, fileBytes: 4000 })
  const { uncovered, id } = await take(snapshots)
  const short = (path: string): string => path.slice(folder.join("work").length + 1)
  expect(Object.fromEntries(Array.from(uncovered, ([path, why]) => [short(path), why]))).toEqual({
    node_modules: "it is large, and ignored or made by tools",
    big: "it is large, and ignored or made by tools",
    "huge.bin": "it is too large (1 MB)",
    pipe: "it is a pipe, a socket or a device",
  })
  const files = [...valueOf(snapshots.treeAt(id)).states].flatMap(([path, { kind }]) =>
    kind === "file" ? [short(path)] : [],
  )
  expect(files.sort()).toEqual([".gitignore", "debug.log", "packages/small/node_modules/one.js"])
  await snapshots.close()
})

test("the largest files are left out when all together are too much", async () => {
  using folder = temporaryFolder()
  put(folder, "small.txt", "s".repeat(100))
  const large = put(folder, "large.txt", "l".repeat(900))
  const snapshots = open(folder, { totalBytes: 500 })
  expect([...(await take(snapshots)).uncovered.keys()]).toEqual([large])
  await snapshots.close()
})

test("a tree with too many paths: only named files are kept, before and after", async () => {
  using folder = temporaryFolder()
  for (let i = 0; i < 30; i++) put(folder, `f${i}`)
  const path = put(folder, "named.txt", "before")
  const snapshots = open(folder, { paths: 20 })
  const first = valueOf(await snapshots.save([path], "person", signal))
  writeFileSync(path, "after")
  const second = await take(snapshots)
  expect({ complete: second.complete, look: second.scan }).toEqual({ complete: false, look: "named" })
  expect([contentAt(snapshots, first.id, path), contentAt(snapshots, second.id, path)]).toEqual(["before", "after"])
  await snapshots.close()
})

test("a tree with too many paths is covered where it is not ignored, when someone can tell", async () => {
  using folder = temporaryFolder()
  for (let i = 0; i < 30; i++) put(folder, `out/f${i}`)
  const path = put(folder, "src/kept.ts")
  const snapshots = open(folder, { paths: 20 }, { listed: () => Promise.resolve([path]) })
  const first = await take(snapshots)
  expect(first.scan).toBe("whole")
  expect(contentAt(snapshots, first.id, path)).toBe("src/kept.ts")
  expect([...first.uncovered.keys()]).toEqual([folder.join("work", "out")])
  // What is made later is not ignored yet.
  const made = put(folder, "fresh/new.ts")
  expect(contentAt(snapshots, (await take(snapshots)).id, made)).toBe("fresh/new.ts")
  await snapshots.close()
})

test("a file that never stands still holds nothing up, and is never kept half written", async () => {
  using folder = temporaryFolder()
  put(folder, "fine.txt")
  const snapshots = open(folder)
  const path = folder.join("work", "busy.txt")
  writeFileSync(path, "0")
  const writer = Bun.spawn(["bash", "-c", `while :; do date +%N >> '${path}'; done`], {
    stdio: ["ignore", "ignore", "ignore"],
  })
  const seen = await take(snapshots)
  writer.kill("SIGKILL")
  await writer.exited
  const state = valueOf(snapshots.treeAt(seen.id)).states.get(path)
  if (state?.kind === "uncovered") expect(state.why).toBe("it kept changing while it was read")
  // What was kept is one state of the file: whole lines, never half a write.
  else expect(contentAt(snapshots, seen.id, path)).toMatch(/^0(\d+\n)*$/)
  await snapshots.close()
})

test("the next session goes on from the last: only what changed in between is added", async () => {
  using folder = temporaryFolder()
  for (let i = 0; i < 200; i++) put(folder, `f${i}.txt`, `content ${i}\n`.repeat(50))
  await Bun.sleep(130)
  const one = open(folder)
  await take(one)
  await one.close()
  const before = one.numbers().bytes
  const changed = put(folder, "f7.txt", "changed")
  rmSync(folder.join("work", "f8.txt"))
  const two = open(folder)
  const second = await take(two)
  expect(two.numbers().bytes - before).toBeLessThan(1500)
  expect(contentAt(two, second.id, changed)).toBe("changed")
  expect([...valueOf(two.load(second.id)).changed.keys()].map((path) => path.slice(-6)).sort()).toEqual([
    "f7.txt",
    "f8.txt",
  ])
  // What was changed between two sessions is nobody's work in this one.
  expect(valueOf(two.load(second.id)).by).toBe("person")
  await two.close()
})

test("a damaged store begins anew and says of old snapshots that they are damaged or gone", async () => {
  using folder = temporaryFolder()
  const path = put(folder, "a.txt", "one")
  const one = open(folder)
  const first = await take(one)
  await one.close()
  const file = folder.join("store", `${first.id}.snap`)
  truncateSync(file, lstatSync(file).size - 3)
  const two = open(folder)
  const second = await take(two)
  expect(contentAt(two, second.id, path)).toBe("one")
  expect(two.treeAt(first.id)).toEqual({ ok: false, failure: { kind: "damaged", path: file } })
  expect(two.treeAt("../../etc/passwd")).toEqual({ ok: false, failure: { kind: "missing", id: "../../etc/passwd" } })
  expect(two.treeAt("000000000-000000000000")).toEqual({
    ok: false,
    failure: { kind: "missing", id: "000000000-000000000000" },
  })
  await two.close()
})

test("links, modes, empty folders and odd names are kept as they are", async () => {
  using folder = temporaryFolder()
  put(folder, 'we"ird\n ü.txt')
  chmodSync(put(folder, "run.sh"), 0o751)
  mkdirSync(folder.join("work", "empty"))
  symlinkSync("/nowhere/at all", folder.join("work", "link"))
  symlinkSync("..", folder.join("work", "up"))
  const snapshots = open(folder)
  const { states } = valueOf(snapshots.treeAt((await take(snapshots)).id))
  const shown = [...states].map(([path, state]) => [
    path.slice(folder.join("work").length + 1),
    state.kind,
    "target" in state ? state.target : "mode" in state && state.kind === "file" ? state.mode.toString(8) : "",
  ])
  expect(shown.sort()).toEqual([
    ["empty", "folder", ""],
    ["link", "link", "/nowhere/at all"],
    ["run.sh", "file", "751"],
    ["up", "link", ".."],
    ['we"ird\n ü.txt', "file", "644"],
  ])
  await snapshots.close()
})

test("long histories are still found at once, and tell the same", async () => {
  using folder = temporaryFolder()
  const path = put(folder, "a.txt", "0")
  const snapshots = open(folder)
  const ids: string[] = []
  for (let i = 0; i < 230; i++) {
    writeFileSync(path, String(i))
    ids.push((await take(snapshots)).id)
  }
  await snapshots.close()
  const again = open(folder)
  for (const i of [0, 1, 150, 199, 200, 201, 229]) expect(contentAt(again, ids[i] ?? "", path)).toBe(String(i))
  await again.close()
})

test("the store has a cap of its own", async () => {
  using folder = temporaryFolder()
  const path = put(folder, "a.txt", "one")
  const snapshots = open(folder, { storeBytes: 10 })
  await take(snapshots)
  const full = open(folder, { storeBytes: 10 })
  writeFileSync(path, "two")
  expect((await full.saveAll("agent", signal)).ok).toBe(false)
  await snapshots.close()
  await full.close()
})

test("an abort keeps nothing and leaves nothing", async () => {
  using folder = temporaryFolder()
  put(folder, "a.txt")
  const snapshots = open(folder)
  expect(await snapshots.saveAll("agent", AbortSignal.abort())).toEqual({ ok: false, failure: { kind: "aborted" } })
  expect(snapshots.numbers().snapshots).toBe(0)
  await snapshots.close()
})

test("a folder that is added with too many files is left out and named, and the others stay covered", async () => {
  using folder = temporaryFolder()
  const path = put(folder, "a.txt", "one")
  const roots = [folder.join("work")]
  const snapshots = open(folder, { paths: 20 }, { roots: () => roots })
  await take(snapshots)
  const large = folder.join("large")
  mkdirSync(large)
  for (let i = 0; i < 30; i++) writeFileSync(join(large, `${i}.txt`), "")
  roots.push(large)
  writeFileSync(path, "two")
  const second = await take(snapshots)
  expect([second.scan, second.complete, [...second.uncovered]]).toEqual([
    "whole",
    true,
    [[large, "it has too many files"]],
  ])
  expect(contentAt(snapshots, second.id, path)).toBe("two")
  expect(valueOf(snapshots.treeAt(second.id)).roots).toEqual([folder.join("work")])
  await snapshots.close()
})

test("a snapshot says which folders it looked at, also when one that is added is empty or holds the others", async () => {
  using folder = temporaryFolder()
  put(folder, "a.txt", "one")
  const roots = [folder.join("work")]
  const snapshots = open(folder, {}, { roots: () => roots })
  const first = await take(snapshots)
  mkdirSync(folder.join("empty"))
  roots.push(folder.join("empty"))
  const second = await take(snapshots)
  expect(second.id).not.toBe(first.id)
  roots.push(folder.path)
  const third = await take(snapshots)
  const rootsOf = ({ id }: Snapshot) => valueOf(snapshots.treeAt(id)).roots
  expect([first, second, third].map(rootsOf)).toEqual([
    [folder.join("work")],
    [folder.join("work"), folder.join("empty")],
    [folder.path],
  ])
  await snapshots.close()
})
