/** Gives a session that nobody has open another title. */

import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Origin } from "./line.ts"
import { type LoadFailure, loadTail } from "./load.ts"
import { type LockFailure, takeLock } from "./lock.ts"
import { type LogFailure, openLog } from "./log.ts"
import { tipOf } from "./path.ts"

export type RenameFailure = LockFailure | LoadFailure | LogFailure

export function renameSession(
  logPath: string,
  title: string,
  {
    pid,
    origin,
    clock,
    ids,
  }: { readonly pid: number; readonly origin: Origin; readonly clock: Clock; readonly ids: Ids },
): Result<void, RenameFailure> {
  const lock = takeLock(`${logPath}.lock`, pid)
  if (!lock.ok) return lock
  try {
    const loaded = loadTail(logPath)
    if (!loaded.ok) return loaded
    const log = openLog(logPath, { ...origin, isNew: false })
    if (!log.ok) return failed(log.failure)
    const stamp = { uuid: ids.uuid(), parentUuid: tipOf(loaded.value.entries), at: clock.now() }
    const appended = log.value.append({ kind: "title", text: title, by: "person", ...stamp }, origin)
    log.value.close()
    return appended.ok ? ok(undefined) : appended
  } finally {
    lock.value()
  }
}
