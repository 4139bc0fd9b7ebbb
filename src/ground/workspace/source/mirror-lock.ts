/** One process at a time changes a mirror: several workers of a machine share it. Whoever was killed meanwhile holds nothing up. */

import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs"
import { readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { type LockFile, openFileLock } from "#ground/workspace/processes/file-locks.ts"
import type { Clock } from "#lib/clock.ts"
import { codeOf } from "#lib/error-code.ts"

const pauseMs = 100

export async function whileLocked<T>(mirror: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const lock = `${mirror}.lock`
  const lockFile = openFileLock()
  for (;;) {
    const fd = lockFile ? tryAcquire(lock, lockFile) : takeByNumber(lock)
    if (fd === undefined) {
      await clock.sleep(pauseMs, new AbortController().signal)
      continue
    }
    try {
      await removeLeftLocks(mirror)
      return await work()
    } finally {
      // Removed while it is held: whoever opened it meanwhile sees that it is another one by then.
      rmSync(lock, { force: true })
      closeSync(fd)
    }
  }
}

/** Git never removes the locks of one that was killed, and refuses from then on. Nobody else is at work here. */
async function removeLeftLocks(mirror: string): Promise<void> {
  const refs = await readdir(join(mirror, "refs"), { recursive: true }).catch(() => [])
  const tops = await readdir(mirror).catch(() => [])
  for (const name of [...tops, ...refs.map((ref) => join("refs", ref))])
    if (name.endsWith(".lock")) await rm(join(mirror, name), { force: true })
}

/** The kernel lets go of it when its process ends. Undefined while somebody else has it. */
function tryAcquire(lock: string, lockFile: LockFile): number | undefined {
  const fd = openSync(lock, constants.O_RDWR | constants.O_CREAT, 0o600)
  if (lockFile(fd) && isStill(lock, fd) && !isHeldByNumber(lock)) {
    ftruncateSync(fd)
    // The end of the line says that the lock itself counts, and not whether this number is still alive.
    writeSync(fd, `${process.pid}\n`, 0)
    return fd
  }
  closeSync(fd)
  return undefined
}

/** Where there is no such lock, whoever makes the file has it; its number says whether it is still alive. */
function takeByNumber(lock: string): number | undefined {
  try {
    const fd = openSync(lock, "wx", 0o600)
    writeSync(fd, String(process.pid))
    return fd
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
    if (!isHeldByNumber(lock)) rmSync(lock, { force: true })
    return undefined
  }
}

function isStill(lock: string, fd: number): boolean {
  const there = statSync(lock, { throwIfNoEntry: false })
  return there !== undefined && there.ino === fstatSync(fd).ino
}

/** By a worker of an earlier version, which only writes its number. */
function isHeldByNumber(lock: string): boolean {
  const text = textOf(lock)
  const pid = Number(text)
  if (text.endsWith("\n") || !Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) !== "ESRCH"
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}
