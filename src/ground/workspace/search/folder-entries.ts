/**
 * The entries of folders. A folder is read again unless its time stamps prove that no name was added, removed or
 * replaced since. This does not cover what the names lead to: a link may be unchanged and its target not.
 */

import { type BigIntStats, readdirSync, statSync } from "node:fs"
import { systemClock } from "#lib/clock.ts"
import { type Identity, identityOf, isSameState } from "#ground/workspace/identity.ts"
import { willTell } from "#ground/workspace/telling-stamps.ts"

export interface FolderEntry {
  readonly name: string
  readonly isFolder: boolean
  readonly isLink: boolean
}

/** Undefined when it is not a folder or cannot be read. */
export type ReadFolder = (folder: string) => readonly FolderEntry[] | undefined

/** `now` must be the clock by which the system stamps its folders. */
export function openFolderEntries(now: () => number = systemClock.now): ReadFolder {
  const known = new Map<string, { readonly identity: Identity; readonly entries: readonly FolderEntry[] }>()
  let names = 0
  return (folder) => {
    const lookedAt = now()
    const stats = statsOf(folder)
    if (!stats?.isDirectory()) return undefined
    const identity = identityOf(stats)
    const before = known.get(folder)
    if (before && isSameState(before.identity, identity)) return before.entries
    const entries = entriesOf(folder)
    if (!entries || !willTell(folder, identity, lookedAt)) return entries
    names += entries.length
    if (names > mostNames) {
      known.clear()
      names = entries.length
    }
    known.set(folder, { identity, entries })
    return entries
  }
}

/** How many names are cached. */
const mostNames = 30_000

function statsOf(folder: string): BigIntStats | undefined {
  try {
    return statSync(folder, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function entriesOf(folder: string): readonly FolderEntry[] | undefined {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
      isLink: entry.isSymbolicLink(),
    }))
  } catch {
    return undefined
  }
}
