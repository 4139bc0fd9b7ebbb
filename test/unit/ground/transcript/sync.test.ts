import { expect, test } from "bun:test"
import { closeSync, readdirSync, readlinkSync } from "node:fs"
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

test("whoever asks while a sync runs waits for one that covers what came since", async () => {
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
