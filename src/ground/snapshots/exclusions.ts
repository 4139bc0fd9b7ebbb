/**
 * Folders that a setting excludes from undo: nothing in them is kept, and no restore changes them. One that a command moved
 * stays excluded where it is now.
 */

import { lstatSync, type Stats } from "node:fs"
import { isBelow, liesIn } from "#lib/lies-in.ts"
import { type Stamp, stampOf } from "./state.ts"

/** What is at a path that is not covered. */
export interface UncoveredPath {
  readonly kind: "uncovered"
  readonly why: string
  readonly stamp: Stamp
}

export interface Exclusions {
  /** Real paths. */
  readonly folders: () => readonly string[]
  /** The excluded folder that a path is, or lies in. */
  readonly holding: (path: string) => string | undefined
  /** As undo knows an excluded folder; undefined if it does not exist. */
  readonly foundAt: (folder: string) => UncoveredPath | undefined
  /** Excludes a folder as well if it is one of them, moved; says whether it is. */
  readonly follow: (folder: string) => boolean
}

export const excludedWhy = "excluded by undo.exclude"

export function openExclusions(excludedFolders: readonly string[]): Exclusions {
  const folders = new Set(excludedFolders)
  /** By device and inode. */
  const seen = new Set<string>()

  const holding = (path: string): string | undefined => {
    if (folders.size > 0) for (const folder of folders) if (liesIn(path, folder)) return folder
    return undefined
  }

  function foundAt(folder: string): UncoveredPath | undefined {
    const stats = statsOf(folder)
    if (stats === undefined) return undefined
    if (stats.isDirectory()) seen.add(identityOf(stats))
    return uncoveredAs(stats, excludedWhy)
  }

  for (const folder of folders) foundAt(folder)
  return {
    folders: () => [...folders],
    holding,
    foundAt,
    follow(folder) {
      if (seen.size === 0) return false
      const stats = statsOf(folder)
      if (!stats?.isDirectory() || !seen.has(identityOf(stats))) return false
      folders.add(folder)
      return true
    },
  }
}

export const nothingExcluded: Exclusions = openExclusions([])

/** What a folder is that is not looked into: its own times change with every file in it, and say nothing. */
export const uncoveredAs = (stats: Stats, why: string): UncoveredPath => ({
  kind: "uncovered",
  why,
  stamp: { ...stampOf(stats, 0), modifiedMs: 0, changedMs: 0, bytes: 0, settled: true },
})

/** Whether something of the excluded folders is at a path or below it. */
export const meetsExcluded = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => liesIn(path, folder) || isBelow(folder, path))

const identityOf = ({ dev, ino }: Stats): string => `${dev}:${ino}`

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
