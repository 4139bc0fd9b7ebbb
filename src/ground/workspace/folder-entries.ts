/**
 * What folders hold. A folder that was read before is read again, unless its time stamps prove that no name was added,
 * removed or replaced since. What the names lead to is no part of it: a link may be as it was and its target not.
 */

import { type BigIntStats, readdirSync, statSync } from "node:fs"
import { systemClock } from "#lib/clock.ts"
import { type Identity, identityOf, isSameState } from "./identity.ts"
import { willTell } from "./telling-stamps.ts"

export interface FolderEntry {
  readonly name: string
  readonly isFolder: boolean
  readonly isLink: boolean
}

/** The entries of a folder as they are now; undefined when it is none or cannot be read. */
export type ReadFolder = (folder: string) => readonly FolderEntry[] | undefined

/** `now` is the time by which the system stamps its folders. */
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

/** How many names are kept. */
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
