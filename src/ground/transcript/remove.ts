/** Removes sessions: a given one, or those untouched for long. Never one that is open. */

import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import { logsIn } from "./catalog-update.ts"
import { isCleaningDue } from "./cleaning.ts"
import { type LockFailure, takeLock } from "./lock.ts"

/** Tells those who store something about it elsewhere. */
export interface RemovedSession {
  readonly sessionId: string
  readonly logPath: string
}

export type RemoveFailure = LockFailure | { readonly kind: "changed" }

/** Removes a log and the folder beside it, under its lock: an open session is kept. */
export function removeSession(
  session: RemovedSession,
  { pid, unless }: { readonly pid: number; readonly unless?: (changed: number) => boolean },
): Result<void, RemoveFailure> {
  const { logPath } = session
  const lock = takeLock(`${logPath}.lock`, pid)
  if (!lock.ok) return lock
  try {
    const stats = statSync(logPath, { throwIfNoEntry: false })
    // It may have been used since it was listed.
    if (stats && unless?.(stats.mtimeMs)) return failed({ kind: "changed" })
    rmSync(logPath.replace(/\.jsonl$/, ""), { recursive: true, force: true })
    rmSync(logPath, { force: true })
    return ok(undefined)
  } catch (error) {
    return failed({
      kind: "unwritable",
      path: logPath,
      message: error instanceof Error ? error.message : String(error),
    })
  } finally {
    lock.value()
  }
}

const dayMs = 24 * 60 * 60 * 1000

/**
 * Removes sessions last changed more than so many days ago; at most once a day, and nothing at all for less than one
 * day. Returns them, so that what is stored elsewhere can be removed too.
 */
export function removeOldSessions(cleaning: {
  readonly projects: string
  /** A file whose age says when this was last done. */
  readonly mark: string
  readonly days: number
  readonly now: number
  readonly pid: number
}): readonly RemovedSession[] {
  const { projects, mark, days, now, pid } = cleaning
  if (!(days >= 1) || !isDue(mark, now)) return []
  const isFresh = (changed: number): boolean => changed > now - days * dayMs
  const removed: RemovedSession[] = []
  for (const { path: logPath, session: sessionId } of logsIn(projects)) {
    const changed = statSync(logPath, { throwIfNoEntry: false })?.mtimeMs
    if (changed === undefined || isFresh(changed)) continue
    const done = removeSession({ sessionId, logPath }, { pid, unless: isFresh })
    if (!done.ok) continue
    removed.push({ sessionId, logPath })
    removeIfEmpty(dirname(logPath))
  }
  return removed
}

/** Whether a day has passed since the last time; if so, marks now as the last time. */
function isDue(mark: string, now: number): boolean {
  if (!isCleaningDue(mark, now)) return false
  try {
    mkdirSync(dirname(mark), { recursive: true, mode: 0o700 })
    writeFileSync(mark, "", { mode: 0o600 })
    utimesSync(mark, now / 1000, now / 1000)
    return true
  } catch {
    // What cannot be noted would be done again at every start.
    return false
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It is not empty.
  }
}

/** Removes files last changed more than so many days ago. */
export function removeOldFiles(folder: string, { days, now }: { readonly days: number; readonly now: number }): void {
  if (!(days >= 1) || !existsSync(folder)) return
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    const changed = entry.isFile() || entry.isSocket() ? statSync(path, { throwIfNoEntry: false })?.mtimeMs : undefined
    if (changed !== undefined && changed <= now - days * dayMs) rmSync(path, { force: true })
  }
}
