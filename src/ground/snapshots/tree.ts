/** What a tree knows about a path. A full scan covers the roots of its moment: folders may be added later. */

import { existsSync, realpathSync } from "node:fs"
import { isBelow } from "#lib/lies-in.ts"
import { absent, type PathState } from "./state.ts"

export interface SnapshotTree {
  /** If true, what is not listed below the roots did not exist; otherwise it is unknown. */
  readonly complete: boolean
  readonly roots: readonly string[]
  readonly states: ReadonlyMap<string, PathState>
}

export const isBelowOne = (path: string, roots: readonly string[]): boolean => roots.some((root) => isBelow(path, root))

/** Whether a path the tree does not list did not exist. */
export const isCovered = ({ complete, roots }: Pick<SnapshotTree, "complete" | "roots">, path: string): boolean =>
  complete && isBelowOne(path, roots)

/** Undefined when nothing is known. */
export const stateIn = (tree: SnapshotTree, path: string): PathState | undefined =>
  tree.states.get(path) ?? (isCovered(tree, path) ? absent : undefined)

/** Drops absent paths in scanned folders, which need not be listed. */
export function dropAbsent(states: Map<string, PathState>, tree: Pick<SnapshotTree, "complete" | "roots">): void {
  if (!tree.complete) return
  for (const [path, state] of states) if (state.kind === "absent" && isCovered(tree, path)) states.delete(path)
}

/**
 * The real paths of the current roots, outermost only. A root that existed once stays, and one that does not exist
 * yet is left out: a missing folder must not take undo away from the others.
 */
export function openRoots(given: () => readonly string[]): () => readonly string[] {
  const real = new Map<string, string>()
  let last: readonly string[] = []
  return () => {
    const unseen = given().filter((root) => !real.has(root))
    if (unseen.length === 0) return last
    for (const root of unseen) if (existsSync(root)) real.set(root, realpathSync.native(root))
    // Without a single one, saying which is missing is all that can be done.
    if (real.size === 0) for (const root of unseen) realpathSync.native(root)
    const now = outermost([...real.values()])
    if (!isSameList(now, last)) last = now
    return last
  }
}

export const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, i) => one === b[i])

/** A root below another one is part of it. */
function outermost(roots: readonly string[]): readonly string[] {
  const all = [...new Set(roots)]
  return all.filter((root) => !isBelowOne(root, all))
}
