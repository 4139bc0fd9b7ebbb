/** Removes what this machine still has of sessions that were erased: their folders, and the states of files they could go back to. */

import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { fileHistory } from "#ground/settings/state-folder.ts"
import { snapshotsIn } from "#ground/snapshots/carry.ts"
import { openSnapshots } from "#ground/snapshots/snapshots.ts"
import type { Sources } from "#ground/workspace/source/sources.ts"
import type { Clock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { ErasedSession } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { sourceRef } from "./storing.ts"

export interface ErasedParts {
  readonly store: Pick<FleetStore, "erasing">
  readonly sources: Pick<Sources, "removeRef">
  readonly folder: string
  readonly state: string
  readonly clock: Clock
  readonly report: (text: string) => void
  readonly signal: AbortSignal
}

const atOnce = 100

/** All that are remembered: doing it again is harmless, and the machine may have been away. */
export async function removeErased(parts: ErasedParts): Promise<void> {
  for (let after = 0; !parts.signal.aborted;) {
    const found = await parts.store.erasing.after(after, atOnce)
    for (const session of found) await removeOne(parts, session)
    after = found.at(-1)?.seq ?? after
    if (found.length < atOnce) return
  }
}

async function removeOne(
  parts: ErasedParts,
  { sessionId, folder, cwd, snapshots, source }: ErasedSession,
): Promise<void> {
  const { store, sources, state, report } = parts
  const own = join(parts.folder, sessionId)
  if (folder === own && existsSync(own)) {
    await rm(fileHistory(state, join(own, "tree")), { recursive: true, force: true })
    await rm(own, { recursive: true, force: true })
  }
  if (cwd !== undefined) await forgetStates(parts, fileHistory(state, cwd), new Set(snapshots))
  if (source === undefined) return
  const removed = await sources.removeRef(source, sourceRef(sessionId))
  if (removed.ok) await store.erasing.unpublished(sessionId)
  else report(`${sourceRef(sessionId)} cannot be removed from ${source}: ${removed.failure}`)
}

/** Other sessions in the same folder have theirs in the same store. */
async function forgetStates({ clock }: ErasedParts, folder: string, gone: ReadonlySet<string>): Promise<void> {
  if (!existsSync(folder)) return
  const all = snapshotsIn(folder)
  if (!all.some((id) => gone.has(id))) return
  const store = openSnapshots({ folder, roots: () => [], excluded: [], clock, ids: systemIds, pid: process.pid })
  if (!store.ok) return
  await store.value.clean(new Set(all.filter((id) => !gone.has(id))))
  await store.value.close()
}
