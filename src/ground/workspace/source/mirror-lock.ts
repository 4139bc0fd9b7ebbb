/** One process at a time changes a mirror: several workers of a machine share it. Whoever was killed meanwhile holds nothing up. */

import { readFile, readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Clock } from "#lib/clock.ts"
import { codeOf } from "#lib/error-code.ts"

const pauseMs = 100

export async function whileLocked<T>(mirror: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const lock = `${mirror}.lock`
  while (!(await isTaken(lock))) {
    if (await isLeft(lock)) await rm(lock, { force: true })
    else await clock.sleep(pauseMs, new AbortController().signal)
  }
  try {
    await removeLeftLocks(mirror)
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

/** Git never removes the locks of one that was killed, and refuses from then on. Nobody else is at work here. */
async function removeLeftLocks(mirror: string): Promise<void> {
  const refs = await readdir(join(mirror, "refs"), { recursive: true }).catch(() => [])
  const tops = await readdir(mirror).catch(() => [])
  for (const name of [...tops, ...refs.map((ref) => join("refs", ref))])
    if (name.endsWith(".lock")) await rm(join(mirror, name), { force: true })
}

async function isTaken(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: "wx", mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    throw error
  }
}

/** Whether the process that made it is gone; not if it has just made it and says nothing yet. */
async function isLeft(lock: string): Promise<boolean> {
  const pid = Number(await readFile(lock, "utf8").catch(() => ""))
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return codeOf(error) === "ESRCH"
  }
}
