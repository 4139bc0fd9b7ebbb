/** What a tree knows about a path. A full scan covers the roots of its moment: folders may be added later. */

import { existsSync, realpathSync } from "node:fs"
import { isBelow } from "#lib/lies-in.ts"
import { isPseudo, type Mount } from "#lib/pseudo-mounts.ts"
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

/** The folders that are scanned. The first one given is the project's own. */
export interface Roots {
  /**
   * The real paths, outermost only. A root that existed once stays, and one that does not exist yet is left out: a
   * missing folder must not take undo away from the others.
   */
  readonly now: () => readonly string[]
  /** From now on without this one; false for the project's own, which has to be there. */
  readonly leaveOut: (root: string, why: string) => boolean
  readonly isOwn: (root: string) => boolean
  /** Why each one that was given is not scanned. */
  readonly leftOut: ReadonlyMap<string, string>
}

export function openRoots(configuredRoots: () => readonly string[], mounts: readonly Mount[]): Roots {
  const real = new Map<string, string>()
  const leftOut = new Map<string, string>()
  let own: string | undefined
  let last: readonly string[] = []

  function settle(): void {
    const kept = [...real.values()].filter((root) => !leftOut.has(root))
    const now = outermost(kept)
    if (!isSameList(now, last)) last = now
  }

  function leaveOut(root: string, why: string): boolean {
    if (root === own) return false
    leftOut.set(root, why)
    settle()
    return true
  }

  return {
    leaveOut,
    leftOut,
    isOwn: (root) => root === own,
    now() {
      const roots = configuredRoots()
      const unseen = roots.filter((root) => !real.has(root))
      if (unseen.length === 0) return last
      for (const root of unseen) if (existsSync(root)) real.set(root, realpathSync.native(root))
      // Without a single one, saying which is missing is all that can be done.
      if (real.size === 0) for (const root of unseen) realpathSync.native(root)
      own ??= real.get(roots[0] ?? "")
      for (const root of real.values()) {
        if (root === "/") leaveOut(root, "it is the whole file system")
        else if (isPseudo(root, mounts)) leaveOut(root, "it has no files of its own")
      }
      settle()
      return last
    },
  }
}

export const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, i) => one === b[i])

/** A root below another one is part of it. */
function outermost(roots: readonly string[]): readonly string[] {
  const all = [...new Set(roots)]
  return all.filter((root) => !isBelowOne(root, all))
}
