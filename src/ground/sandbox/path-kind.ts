/** What is at a path, without following a link in the last component. Most of what a policy hides does not exist. */

import { lstatSync, realpathSync, statSync } from "node:fs"
import { basename, dirname } from "node:path"
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

/**
 * Each call of the function returns the current state; but what was missing in a folder is not looked up again until
 * that folder changes. Otherwise every command would look for a hundred secrets in vain.
 */
export function openPathKinds(now: () => number): () => typeof kindOf {
  const absent = new Map<string, { readonly stamp: string; readonly names: Set<string> }>()

  return () => {
    const folderAt = onceEach((path: string): { readonly stamp: string; readonly isSettled: boolean } | undefined => {
      if (isKnownAbsent(path)) return undefined
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
    })

    function isKnownAbsent(path: string): boolean {
      if (path === "/") return false
      const parent = folderAt(dirname(path))
      if (parent === undefined) return true
      const known = absent.get(dirname(path))
      return known?.stamp === parent.stamp && known.names.has(basename(path))
    }

    return onceEach((path) => {
      if (isKnownAbsent(path)) return undefined
      const kind = kindOf(path)
      const parent = folderAt(dirname(path))
      if (kind === undefined && parent?.isSettled) {
        const known = absent.get(dirname(path))
        if (known?.stamp === parent.stamp) known.names.add(basename(path))
        else absent.set(dirname(path), { stamp: parent.stamp, names: new Set([basename(path)]) })
      }
      return kind
    })
  }
}
