import { expect, test } from "bun:test"
import { dlopen } from "bun:ffi"
import { closeSync, readdirSync, readFileSync, readlinkSync, renameSync, statSync } from "node:fs"
import type { Entry } from "#agent/words/entry.ts"
import { type Log, openLog } from "#ground/transcript/log.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const entry: Entry = { kind: "turn_start", turnId: "t", uuid: "u", parentUuid: null, at: 0 }
const origin = { sessionId: "s", cwd: "/", version: "0", gitBranch: "", entrypoint: "test" }

function open(path: string): Log {
  const log = openLog(path, { sessionId: "s", version: "0", cwd: "/", isNew: true })
  if (!log.ok) throw new Error(log.failure.message)
  return log.value
}

/** Takes the file away from under the log, so that whoever really asks the system about it learns so. */
function closeBehind(path: string): void {
  for (const fd of readdirSync("/proc/self/fd")) if (existing(fd) === path) closeSync(Number(fd))
}

function existing(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}

/** Everything goes on but the disk: it answers through the event loop, which gets no turn here. */
async function withoutTheDisk(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await undefined
}

test("a sync asks the system, and only when there is something to sync", async () => {
  using folder = temporaryFolder()
  const log = open(folder.join("s.jsonl"))
  expect(await log.sync()).toEqual({ ok: true, value: undefined })
  log.append(entry, origin)
  closeBehind(log.path)
  expect(await log.sync()).toMatchObject({ ok: false, failure: { kind: "unwritable", path: log.path } })
  // What is not on the disk is not forgotten either.
  expect(await log.sync()).toMatchObject({ ok: false })

  const other = open(folder.join("t.jsonl"))
  await other.sync()
  closeBehind(other.path)
  expect(await other.sync()).toEqual({ ok: true, value: undefined })
})

test("what is appended while a sync runs waits for another one", async () => {
  using folder = temporaryFolder()
  const log = open(folder.join("s.jsonl"))
  const answered: string[] = []
  log.append(entry, origin)
  const first = log.sync()
  log.append(entry, origin)
  const second = log.sync().then(() => answered.push("second"))
  // It has nothing of its own to sync, and may not be answered before what is there already.
  const third = log.sync().then(() => answered.push("third"))
  expect(await first).toEqual({ ok: true, value: undefined })
  await withoutTheDisk()
  expect(answered).toEqual([])
  await Promise.all([second, third])
  log.close()
})

test("however many ask at once, each is answered, and a closed log takes nothing more", async () => {
  using folder = temporaryFolder()
  const log = open(folder.join("s.jsonl"))
  const syncs = Array.from({ length: 20 }, () => {
    log.append(entry, origin)
    return log.sync()
  })
  expect(await Promise.all(syncs)).toEqual(syncs.map(() => ({ ok: true, value: undefined })))
  log.close()
  expect(log.append(entry, origin)).toMatchObject({ ok: false })
  expect(await log.sync()).toMatchObject({ ok: false })
})

test("a sync does not answer before the disk has, also when there is nothing new to sync", async () => {
  using folder = temporaryFolder()
  const log = open(folder.join("s.jsonl"))
  const answered: string[] = []
  log.append(entry, origin)
  const first = log.sync().then(() => answered.push("first"))
  const second = log.sync().then(() => answered.push("second"))
  await withoutTheDisk()
  expect(answered).toEqual([])
  await Promise.all([first, second])
  expect(answered.sort()).toEqual(["first", "second"])
  log.close()
})

test("the name of a new log is synced with its folder, once", async () => {
  using folder = temporaryFolder()
  const log = open(folder.join("a/s.jsonl"))
  renameSync(folder.join("a"), folder.join("b"))
  expect(await log.sync()).toMatchObject({ ok: false, failure: { kind: "unwritable" } })
  renameSync(folder.join("b"), folder.join("a"))
  expect(await log.sync()).toEqual({ ok: true, value: undefined })
  renameSync(folder.join("a"), folder.join("b"))
  log.append(entry, origin)
  expect(await log.sync()).toEqual({ ok: true, value: undefined })
  log.close()
})

test("what a failed sync left in doubt is written again before the next", async () => {
  using folder = temporaryFolder()
  const log = open(folder.join("s.jsonl"))
  await log.sync()
  log.append(entry, origin)
  const written = readFileSync(log.path)
  const libc = dlopen("libc.so.6", {
    dup: { args: ["i32"], returns: "i32" },
    dup2: { args: ["i32", "i32"], returns: "i32" },
  })
  const fd = Number(readdirSync("/proc/self/fd").find((one) => existing(one) === log.path))
  const kept = libc.symbols.dup(fd)
  closeSync(fd)
  expect(await log.sync()).toMatchObject({ ok: false })
  libc.symbols.dup2(kept, fd)
  closeSync(kept)
  const before = statSync(log.path).mtimeMs
  await Bun.sleep(20)
  expect(await log.sync()).toEqual({ ok: true, value: undefined })
  expect(statSync(log.path).mtimeMs).toBeGreaterThan(before)
  expect(readFileSync(log.path)).toEqual(written)
  const changed = statSync(log.path).mtimeMs
  await Bun.sleep(20)
  await log.sync()
  expect(statSync(log.path).mtimeMs).toBe(changed)
  log.close()
})
