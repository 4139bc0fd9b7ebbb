/** What is at a path, without following a link in the last component. Most of what a policy hides does not exist. */

import { lstatSync, realpathSync, statSync } from "node:fs"
import { onceEach } from "#lib/once-each.ts"
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

/** Folders changed less than this ago may change again without getting a later time. */
const settledMs = 2_000

/** The entries of a folder that were asked for, as they were when it had this stamp. */
interface SeenFolder {
  readonly stamp: string
  readonly entries: Map<string, PathKind | undefined>
}

/**
 * Each call of the function returns the current state; but what was found or missing in a folder is not looked up again
 * until that folder changes. Otherwise every command would look for a hundred secrets in vain.
 */
export function openPathKinds(now: () => number): () => typeof kindOf {
  const seen = new Map<string, SeenFolder>()

  return () => {
    const entriesOf = onceEach((folder: string): SeenFolder["entries"] | undefined => {
      if (folder !== "/" && isKnownAbsent(folder)) return undefined
      const found = folderAt(folder)
      if (found === undefined) return undefined
      const before = seen.get(folder)
      if (before?.stamp === found.stamp) return before.entries
      const entries: SeenFolder["entries"] = new Map()
      if (found.isSettled) seen.set(folder, { stamp: found.stamp, entries })
      else seen.delete(folder)
      return entries
    })

    function isKnownAbsent(path: string): boolean {
      const entries = entriesOf(folderOf(path))
      const name = nameOf(path)
      return entries === undefined || (entries.has(name) && entries.get(name) === undefined)
    }

    return (path) => {
      if (path === "/") return "folder"
      const entries = entriesOf(folderOf(path))
      if (entries === undefined) return undefined
      const name = nameOf(path)
      if (!entries.has(name)) entries.set(name, kindOf(path))
      return entries.get(name)
    }
  }

  function folderAt(path: string): { readonly stamp: string; readonly isSettled: boolean } | undefined {
    try {
      const found = statSync(path, { throwIfNoEntry: false })
      if (!found?.isDirectory()) return undefined
      return {
        stamp: `${found.dev} ${found.ino} ${found.mtimeMs} ${found.ctimeMs}`,
        isSettled: now() - found.mtimeMs > settledMs,
      }
    } catch {
      return undefined
    }
  }
}

/** Paths here are absolute and plain; the general functions take longer than everything else. */
const folderOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf("/")))
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
