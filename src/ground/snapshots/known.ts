/** Everything known as of the last snapshot. Changed in place, so that a small change costs little in a large tree. */

import { dropAbsent, isCovered, isSameList, type SnapshotTree } from "./tree.ts"
import type { PathState } from "./state.ts"

export interface KnownTree extends SnapshotTree {
  /** Null before the first snapshot. */
  readonly id: string | null
  readonly states: Map<string, PathState>
  /** Contents that are certainly in the store. */
  readonly hashes: Set<string>
  readonly uncovered: Map<string, string>
}

export function knownOf(id: string | null, tree: SnapshotTree): KnownTree {
  const { complete, roots } = tree
  const known: KnownTree = { id, complete, roots, states: new Map(), hashes: new Set(), uncovered: new Map() }
  for (const [path, state] of tree.states) put(known, path, state)
  return known
}

export function advance(
  known: KnownTree,
  after: Pick<SnapshotTree, "complete" | "roots"> & { readonly id: string; readonly changed: SnapshotTree["states"] },
): KnownTree {
  const { id, complete, roots, changed } = after
  const next: KnownTree = { ...known, id, complete, roots }
  for (const [path, state] of changed) put(next, path, state)
  if (complete !== known.complete || !isSameList(roots, known.roots)) dropAbsent(next.states, next)
  return next
}

function put(known: KnownTree, path: string, state: PathState): void {
  const { states, hashes, uncovered } = known
  if (state.kind === "file") hashes.add(state.hash)
  if (state.kind === "uncovered") uncovered.set(path, state.why)
  else uncovered.delete(path)
  if (state.kind === "absent" && isCovered(known, path)) states.delete(path)
  else states.set(path, state)
}
