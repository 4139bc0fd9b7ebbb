/** Removes the old contents of files that no session can or should go back to any more. */

import { existsSync, readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { snapshotsIn } from "#ground/snapshots/carry.ts"
import { openSnapshots } from "#ground/snapshots/snapshots.ts"
import { withCatalog } from "#ground/transcript/catalog.ts"
import type { RemovedSession } from "#ground/transcript/remove.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"

/** Those that each session of this state folder can go back to, by its id. */
export function sessionSnapshots(state: string): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  // Of all folders: a session that was resumed elsewhere has its snapshots there.
  return withCatalog(
    { file: join(state, "cache", "sessions.sqlite"), projects: join(state, "projects") },
    ({ snapshots }) => snapshots(),
  )
}

export const knownSnapshots = async (state: string): Promise<ReadonlySet<string>> =>
  new Set([...(await sessionSnapshots(state)).values()].flatMap((of) => [...of]))

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
  await dropSnapshots(state, gone, [...new Set(removed.map(({ logPath }) => basename(dirname(logPath))))])
}

/** `slugs`: the projects to look in; all when absent. */
export async function dropSnapshots(
  state: string,
  gone: ReadonlySet<string>,
  slugs: readonly string[] = foldersIn(join(state, "file-history")),
): Promise<void> {
  for (const slug of slugs) {
    const folder = join(state, "file-history", slug)
    if (!existsSync(folder)) continue
    const there = new Set(snapshotsIn(folder))
    if (there.isDisjointFrom(gone)) continue
    const place = { folder, roots: () => [], excluded: [], clock: systemClock, ids: systemIds, pid: process.pid }
    const store = openSnapshots(place)
    if (!store.ok) continue
    // While a session has it open, nothing is removed; the next time will do.
    await store.value.clean(there.difference(gone))
    await store.value.close()
  }
}

const foldersIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    : []
