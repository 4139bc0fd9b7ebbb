/** What is at a path, without following a link in the last component. Most of what a policy hides does not exist. */

import { lstatSync, readdirSync, realpathSync, statSync } from "node:fs"
import { type Absence, largestListed, openAbsence } from "#lib/absence.ts"
import type { PathKind } from "./mounts.ts"

export function kindOf(path: string): PathKind | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    return found.isDirectory() ? "folder" : "file"
  } catch {
    return undefined
  }
}

export function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return folder
  }
}

/** A folder that has just changed may change again without getting a later time. */
const settledMs = { coarse: 2_000, fine: 100 }

/** The entries of a folder that were asked for, as they were when it had this stamp. */
interface SeenFolder {
  readonly stamp: string
  readonly entries: Entries
}

interface FoundFolder {
  readonly stamp: string
  readonly isSettled: boolean
  readonly names: () => readonly string[] | undefined
}

interface Entries {
  readonly kinds: Map<string, PathKind | undefined>
  readonly isAbsent: Absence
}

/** The folders that answers depend on, each with what was known about it. */
export type Basis = ReadonlyMap<string, Entries | undefined>

/** The state of the disk at one moment. */
export interface PathKinds {
  readonly kindOf: typeof kindOf
  /** What all answers so far depend on. */
  readonly basis: () => Basis
  /** Whether the questions that led to a basis would be answered in the same way now. */
  readonly holds: (basis: Basis) => boolean
}

/**
 * Each call of the function looks at the current state; but what was found or missing in a folder is not looked up
 * again until that folder changes. Otherwise every command would look for a hundred secrets in vain.
 */
export function openPathKinds(now: () => number): () => PathKinds {
  const seen = new Map<string, SeenFolder>()

  return () => {
    const asked = new Map<string, Entries | undefined>()

    function entriesOf(folder: string): Entries | undefined {
      if (!asked.has(folder)) asked.set(folder, readEntries(folder))
      return asked.get(folder)
    }

    function readEntries(folder: string): Entries | undefined {
      if (folder !== "/" && isKnownAbsent(folder)) return undefined
      const found = folderAt(folder)
      if (found === undefined) {
        if (folder !== "/") void kindAt(folder)
        return undefined
      }
      const before = seen.get(folder)
      if (before?.stamp === found.stamp) return before.entries
      const entries: Entries = { kinds: new Map(), isAbsent: openAbsence(found.names) }
      if (found.isSettled) seen.set(folder, { stamp: found.stamp, entries })
      else seen.delete(folder)
      return entries
    }

    function isKnownAbsent(path: string): boolean {
      const entries = entriesOf(folderOf(path))
      if (entries === undefined) return true
      const { kinds, isAbsent } = entries
      const name = nameOf(path)
      if (!kinds.has(name) && isAbsent(name)) kinds.set(name, undefined)
      return kinds.has(name) && kinds.get(name) === undefined
    }

    function kindAt(path: string): PathKind | undefined {
      if (path === "/") return "folder"
      const entries = entriesOf(folderOf(path))
      if (entries === undefined) return undefined
      const { kinds, isAbsent } = entries
      const name = nameOf(path)
      if (!kinds.has(name)) kinds.set(name, isAbsent(name) ? undefined : kindOf(path))
      return kinds.get(name)
    }

    return {
      kindOf: kindAt,
      basis: () => asked,
      holds: (basis) => basis.entries().every(([folder, entries]) => entriesOf(folder) === entries),
    }
  }

  function folderAt(path: string): FoundFolder | undefined {
    try {
      const found = statSync(path, { throwIfNoEntry: false })
      if (!found?.isDirectory()) return undefined
      // File systems that count less than milliseconds only depend on how often the kernel looks at the clock.
      const isFine = found.ctimeMs % 1 !== 0
      return {
        stamp: `${found.dev} ${found.ino} ${found.mtimeMs} ${found.ctimeMs}`,
        isSettled: now() - found.ctimeMs > (isFine ? settledMs.fine : settledMs.coarse),
        names: () => (found.size > largestListed ? undefined : namesIn(path)),
      }
    } catch {
      return undefined
    }
  }
}

function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder)
  } catch {
    return undefined
  }
}

/** Paths here are absolute and plain; the general functions take longer than everything else. */
const folderOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")))
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
