/** Everything that is known as of the last snapshot. It is changed in place, so that a small change costs little in a large tree. */

import type { PathState } from "./state.ts"
import type { Tree } from "./store.ts"

export interface Known extends Tree {
  /** The snapshot; none before the first. */
  readonly id: string | null
  readonly states: Map<string, PathState>
  /** Contents that the store surely holds. */
  readonly hashes: Set<string>
  /** Paths that are not covered, and why. */
  readonly uncovered: Map<string, string>
}

export function knownOf(id: string | null, tree: Tree): Known {
  const known: Known = { id, complete: tree.complete, states: new Map(), hashes: new Set(), uncovered: new Map() }
  for (const [path, state] of tree.states) put(known, path, state)
  return known
}

/** What is known after a snapshot that changed some paths. */
export function advance(
  known: Known,
  { id, complete, changed }: { readonly id: string; readonly complete: boolean; readonly changed: Tree["states"] },
): Known {
  const next: Known = { ...known, id, complete }
  for (const [path, state] of changed) put(next, path, state)
  // Where everything was looked at, what is not there need not be named.
  if (complete && !known.complete)
    for (const [path, state] of next.states) if (state.kind === "absent") next.states.delete(path)
  return next
}

function put({ states, hashes, uncovered, complete }: Known, path: string, state: PathState): void {
  if (state.kind === "file") hashes.add(state.hash)
  if (state.kind === "uncovered") uncovered.set(path, state.why)
  else uncovered.delete(path)
  if (complete && state.kind === "absent") states.delete(path)
  else states.set(path, state)
}
