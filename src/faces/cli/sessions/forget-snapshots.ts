/** Removes the old contents of files that only sessions could go back to that are gone. */

import { existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { snapshotsIn } from "#ground/snapshots/carry.ts"
import { openSnapshots } from "#ground/snapshots/snapshots.ts"
import { withCatalog } from "#ground/transcript/catalog.ts"
import type { RemovedSession } from "#ground/transcript/remove.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"

/** Those that the sessions of this state folder can go back to. */
export function knownSnapshots(state: string): Promise<ReadonlySet<string>> {
  // Of all folders: a session that was resumed elsewhere has its snapshots there.
  return withCatalog(
    { file: join(state, "cache", "sessions.sqlite"), projects: join(state, "projects") },
    ({ snapshots }) => snapshots(),
  )
}

/**
 * `before` are those known before the sessions were removed. All others stay: sessions of a server that work in the
 * same folder have theirs in the same store, and their logs are in a database.
 */
export async function forgetSnapshots(
  removed: readonly RemovedSession[],
  state: string,
  before: ReadonlySet<string>,
): Promise<void> {
  const gone = before.difference(await knownSnapshots(state))
  for (const slug of new Set(removed.map(({ logPath }) => basename(dirname(logPath))))) {
    const folder = join(state, "file-history", slug)
    if (!existsSync(folder)) continue
    const place = { folder, roots: () => [], excluded: [], clock: systemClock, ids: systemIds, pid: process.pid }
    const store = openSnapshots(place)
    if (!store.ok) continue
    // While a session has it open, nothing is removed; the next time will do.
    await store.value.clean(new Set(snapshotsIn(folder)).difference(gone))
    await store.value.close()
  }
}
