/** Notices what other processes write to a team's file. */

import type { Database } from "bun:sqlite"
import { basename, dirname } from "node:path"
import { systemClock } from "#lib/clock.ts"
import { watchFolder } from "#lib/state-file.ts"

/** The file beside the database is written before the change can be read, and no second event follows. */
const afterEventMs: readonly number[] = [15, 60, 250]
/** However long a slow disk takes in between. */
const everyMs = 1_000

export function watchFile(
  { path, database }: { readonly path: string; readonly database: Database },
  changed: () => void,
): { readonly close: () => void } {
  const version = database.query<{ data_version: number }, []>("pragma data_version")
  const read = (): number | undefined => version.get()?.data_version
  const cancels = new Map<number, () => void>()
  let seen = read()
  let isClosed = false

  function checkFile(): void {
    // Events that were on their way still arrive after the end.
    if (isClosed) return
    const now = read()
    if (now === seen) return
    seen = now
    changed()
  }
  function lookIn(ms: number, then: () => void = () => {}): void {
    if (isClosed || cancels.has(ms)) return
    cancels.set(
      ms,
      systemClock.after(ms, () => {
        cancels.delete(ms)
        checkFile()
        then()
      }),
    )
  }
  const lookAlways = (): void => lookIn(everyMs, lookAlways)

  const watcher = watchFolder(dirname(path), (name) => {
    if (name === null) return checkFile()
    if (!name.startsWith(`${basename(path)}-wal`)) return
    checkFile()
    for (const ms of afterEventMs) lookIn(ms)
  })
  lookAlways()
  return {
    close() {
      isClosed = true
      watcher.close()
      for (const cancel of cancels.values()) cancel()
      cancels.clear()
    },
  }
}
