/** One change of a file at a time, also across processes: what another wrote between our reading and writing would be lost. */

import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { blockFor } from "#lib/clock.ts"
import { codeOf } from "#lib/error-code.ts"
import { failed, type Result } from "#lib/result.ts"

const tries = 300
const pauseMs = 10

export function underLock<T>(file: string, change: () => Result<T, string>): Result<T, string> {
  const lock = `${file}.lock`
  for (let count = 0; ; count++) {
    const error = taken(lock)
    if (error === undefined) break
    // Where nothing can be created, the change says so itself.
    if (error !== "EEXIST") return change()
    if (isLeft(lock)) rmSync(lock, { force: true })
    else if (count === tries)
      return failed(`${file} is being changed by another process. Try again; if there is none, remove ${lock}.`)
    else blockFor(pauseMs)
  }
  try {
    return change()
  } finally {
    rmSync(lock, { force: true })
  }
}

function taken(lock: string): string | undefined {
  try {
    writeFileSync(lock, String(process.pid), { flag: "wx", mode: 0o600 })
    return undefined
  } catch (error) {
    return codeOf(error) ?? "unknown"
  }
}

/** Whether the process that made it is gone. */
function isLeft(lock: string): boolean {
  try {
    const pid = Number(readFileSync(lock, "utf8"))
    // Made just now, and not written yet.
    if (!Number.isInteger(pid) || pid <= 0) return false
    process.kill(pid, 0)
    return false
  } catch (error) {
    return codeOf(error) === "ESRCH"
  }
}
