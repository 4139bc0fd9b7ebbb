/**
 * The paths a snapshot of named files looks at: our own, and the folders on the way that may have to be removed
 * again.
 */

import { dirname } from "node:path"
import { isBelowOne } from "./tree.ts"
import type { PathState } from "./state.ts"
import { inspectPath } from "./walk.ts"

export type NamedPaths = (paths: readonly string[], known: ReadonlyMap<string, PathState>) => readonly string[]

export function openNamedPaths({
  roots,
  excluded,
}: {
  readonly roots: () => readonly string[]
  readonly excluded: readonly string[]
}): NamedPaths {
  const missingOutside = new Set<string>()
  const isBelowRoots = (path: string): boolean => isBelowOne(path, roots())
  const isOurs = (path: string): boolean =>
    !/\/\.git(?:\/|$)/.test(path) && !excluded.some((folder) => path === folder || path.startsWith(`${folder}/`))

  /** Folders on the way to a file that are not known yet, or do not exist. */
  function newFoldersAbove(path: string, known: ReadonlyMap<string, PathState>): string[] {
    const folders: string[] = []
    for (let at = dirname(path); at !== dirname(at) && !roots().includes(at); at = dirname(at)) {
      const isThere = inspectPath(at, 0) !== undefined
      // Outside the roots only those that were missing matter: once made, they must go again.
      if (!isThere && !isBelowRoots(at)) missingOutside.add(at)
      if (isThere && !isBelowRoots(at) && !missingOutside.has(at)) break
      if (!(isThere && known.get(at)?.kind === "folder")) folders.unshift(at)
    }
    return folders
  }

  return (paths, known) => paths.flatMap((path) => [...newFoldersAbove(path, known), path]).filter(isOurs)
}
