/** Lists folders again only if they changed: looking at a folder costs a twentieth of reading it. */

import type { DiskEntry, PlainDisk } from "#ground/workspace/plain-disk.ts"

export interface KnownFolders {
  readonly list: PlainDisk["list"]
  /** Whether a folder is as it was when it was last listed. */
  readonly isKnown: (folder: string) => boolean
  /** Folders that could not be listed since the last call. */
  readonly takeUnreadable: () => readonly string[]
}

interface KnownFolder {
  readonly id: string
  readonly changedMs: number
  readonly entries: ReturnType<PlainDisk["list"]>
}

/** Within this time a second change may leave the same time behind: on some disks it has only even seconds. */
const unsureMs = 2_500

/** More than any walk looks at. */
const mostKnown = 100_000

export function openKnownFolders({
  disk,
  now,
}: {
  readonly disk: Pick<PlainDisk, "entryOf" | "list" | "names">
  readonly now: () => number
}): KnownFolders {
  const known = new Map<string, KnownFolder>()
  const unreadable = new Set<string>()

  const unchanged = (folder: string, entry: DiskEntry | undefined): KnownFolder | undefined => {
    const before = known.get(folder)
    return before?.id === entry?.id && before?.changedMs === entry?.changedMs ? before : undefined
  }

  return {
    isKnown: (folder) => unchanged(folder, disk.entryOf(folder)) !== undefined,
    list(folder) {
      const at = now()
      const entry = disk.entryOf(folder)
      const before = unchanged(folder, entry)
      if (before) return before.entries
      const entries = disk.list(folder)
      if (entries.length === 0 && entry?.kind === "folder" && disk.names(folder) === undefined) unreadable.add(folder)
      if (known.size >= mostKnown) known.clear()
      if (entry && entry.changedMs < at - unsureMs) known.set(folder, { ...entry, entries })
      else known.delete(folder)
      return entries
    },
    takeUnreadable() {
      const taken = [...unreadable]
      unreadable.clear()
      return taken
    },
  }
}
