/** What a session changed, all together, as one patch from its snapshots: edits, commands, whatever it was. */

import { sayFailure } from "#ground/snapshots/failure.ts"
import { agentChanges, netChanges } from "#kits/checkpoints/history.ts"
import { patchOfChanges } from "#kits/checkpoints/patch.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { StoredSession } from "./read-session.ts"
import { shownIn, snapshotIds, storeOf } from "./read-store.ts"

export interface WholePatch {
  readonly patch: string
  readonly notes: readonly string[]
}

/** Undefined if the session has no snapshots; fails if some are no longer kept. */
export async function snapshotPatch(
  { log, row }: StoredSession,
  state: string,
): Promise<Result<WholePatch | undefined, string>> {
  const [first] = log.entries
  const entries = [...(first && first.kind !== "snapshot" ? [first] : []), ...log.ofKinds("snapshot")]
  const ids = snapshotIds(entries)
  if (ids.length === 0) return ok(undefined)
  const store = storeOf(entries, row.cwd, state)
  for (const id of ids) {
    const known = store.load(id)
    if (!known.ok) return failed(sayFailure(known.failure))
  }
  const changes = netChanges(agentChanges(entries, store))
  const isInside = ({ path }: { readonly path: string }): boolean => path.startsWith(`${row.cwd}/`)
  const patch = await patchOfChanges(changes.filter(isInside), {
    content: store.content,
    name: shownIn(row.cwd),
    binary: "whole",
  })
  if (!patch.ok) return failed(sayFailure(patch.failure))
  const outside = changes.filter((change) => !isInside(change)).map(({ path }) => path)
  const uncovered = changes.filter(({ before, after }) => [before.kind, after.kind].includes("uncovered"))
  return ok({
    patch: patch.value,
    notes: [
      ...outside.map((path) => `${path} is outside the session's folder, so the patch does not include it.`),
      ...uncovered.map(
        ({ path }) => `${path} has no complete snapshots, so the patch includes only part of its changes.`,
      ),
    ],
  })
}
