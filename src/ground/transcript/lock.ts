/** One process per session: a lock file with the owner's pid. A dead owner's lock is taken over. */

import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { failed, ok, type Result } from "#lib/result.ts"

export type LockFailure =
  | { readonly kind: "held"; readonly pid: number }
  | { readonly kind: "unwritable"; readonly path: string; readonly message: string }

/** Takes the lock, or says who has it. The value releases it. */
export function takeLock(path: string, pid: number): Result<() => void, LockFailure> {
  for (;;) {
    try {
      const fd = openSync(path, "wx", 0o600)
      writeSync(fd, String(pid))
      closeSync(fd)
      return ok(() => rmSync(path, { force: true }))
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : ""
      if (code !== "EEXIST") return failed({ kind: "unwritable", path, message: String(error) })
    }
    const owner = ownerOf(path)
    if (owner !== undefined && owner !== pid && isAlive(owner)) return failed({ kind: "held", pid: owner })
    rmSync(path, { force: true })
  }
}

function ownerOf(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, "utf8"))
    return Number.isInteger(pid) && pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Someone else's process is alive too.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
