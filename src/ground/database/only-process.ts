/** One process at a time has a folder. The lock is the system's own, so a process that dies does not keep it. */

import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"

/** Returns a function that lets go, or the process that has it, if that is known. */
export async function becomeOnlyProcess(folder: string): Promise<Result<() => void, number | undefined>> {
  const { Database, SQLiteError } = await import("bun:sqlite")
  const owner = join(folder, "owner")
  const path = join(folder, "lock.db")
  const lock = new Database(path, { create: true })
  chmodSync(path, 0o600)
  try {
    lock.run("pragma busy_timeout = 0")
    lock.run("begin exclusive")
  } catch (error) {
    lock.close()
    if (error instanceof SQLiteError && error.code?.startsWith("SQLITE_BUSY")) return failed(pidIn(owner))
    throw error
  }
  writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 })
  return ok(() => lock.close())
}

function pidIn(path: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(path, "utf8"), 10)
    return Number.isSafeInteger(pid) ? pid : undefined
  } catch {
    return undefined
  }
}
