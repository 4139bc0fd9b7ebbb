/** Appends one entry to the log of a session that no process has open. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { Result } from "#lib/result.ts"
import type { Origin } from "./line.ts"
import { type LoadFailure, loadTail } from "./load.ts"
import { type LockFailure, takeLock } from "./lock.ts"
import { type LogFailure, openLog } from "./log.ts"
import { tipOf } from "./path.ts"

export type AppendFailure = LockFailure | LoadFailure | LogFailure

export interface AppendPorts {
  readonly pid: number
  readonly origin: Origin
  readonly clock: Clock
  readonly ids: Ids
}

/**
 * `make` sees the log from its last compaction on, and returns what to append or why not. The entry is on disk when
 * this resolves.
 */
export async function appendKept<Failure>(
  logPath: string,
  make: (entries: readonly Entry[]) => Result<EntryBody, Failure>,
  { pid, origin, clock, ids }: AppendPorts,
): Promise<Result<void, AppendFailure | Failure>> {
  const lock = takeLock(`${logPath}.lock`, pid)
  if (!lock.ok) return lock
  try {
    const loaded = loadTail(logPath)
    if (!loaded.ok) return loaded
    const { entries } = loaded.value
    const body = make(entries)
    if (!body.ok) return body
    const log = openLog(logPath, { ...origin, isNew: false })
    if (!log.ok) return log
    const stamp = { uuid: ids.uuid(), parentUuid: tipOf(entries), at: clock.now() }
    const appended = log.value.append({ ...body.value, ...stamp }, origin)
    const synced = appended.ok ? await log.value.sync() : appended
    log.value.close()
    return synced
  } finally {
    lock.value()
  }
}
