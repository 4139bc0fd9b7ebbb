/** Removes the old contents of files that only sessions could go back to that are gone. */

import { existsSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { openSnapshots } from "#ground/snapshots/snapshots.ts"
import { withCatalog } from "#ground/transcript/catalog.ts"
import type { RemovedSession } from "#ground/transcript/remove.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"

export async function forgetSnapshots(removed: readonly RemovedSession[], state: string): Promise<void> {
  const catalog = { file: join(state, "cache", "sessions.sqlite"), projects: join(state, "projects") }
  // Of all folders: a session that was resumed elsewhere has its snapshots there.
  const keep = await withCatalog(catalog, ({ snapshots }) => snapshots())
  for (const slug of new Set(removed.map(({ logPath }) => basename(dirname(logPath))))) {
    const folder = join(state, "file-history", slug)
    if (!existsSync(folder)) continue
    const place = { folder, roots: () => [], excluded: [], clock: systemClock, ids: systemIds, pid: process.pid }
    const store = openSnapshots(place)
    if (!store.ok) continue
    // While a session has it open, nothing is removed; the next time will do.
    await store.value.clean(keep)
    await store.value.close()
  }
}
