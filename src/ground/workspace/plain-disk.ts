/** The disk for the sandbox's policy: nothing throws. */

import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs"
import { realPath } from "./paths.ts"

export interface PlainDisk {
  readonly kindOf: (path: string) => "file" | "folder" | "other" | undefined
  readonly isLink: (path: string) => boolean
  readonly real: (path: string) => string
  readonly list: (folder: string) => readonly { readonly name: string; readonly isFolder: boolean }[]
  readonly text: (path: string) => string | undefined
  /** Changes whenever something is added to or removed from a folder. */
  readonly stampOf: (folder: string) => string
}

/** Files with locations or settings are short. */
const mostBytes = 256 * 1024

export const plainDisk: PlainDisk = {
  kindOf(path) {
    const stats = tried(() => statSync(path, { throwIfNoEntry: false }))
    if (!stats) return undefined
    if (stats.isFile()) return "file"
    return stats.isDirectory() ? "folder" : "other"
  },
  isLink: (path) => tried(() => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) ?? false,
  real: realPath,
  list: (folder) =>
    tried(() =>
      readdirSync(folder, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        isFolder: entry.isDirectory(),
      })),
    ) ?? [],
  text: (path) =>
    tried(() => {
      const stats = statSync(path, { throwIfNoEntry: false })
      return stats?.isFile() && stats.size <= mostBytes ? readFileSync(path, "utf8") : undefined
    }),
  stampOf(folder) {
    const stats = tried(() => statSync(folder, { throwIfNoEntry: false }))
    return stats ? `${stats.ino} ${stats.mtimeMs}` : ""
  },
}

function tried<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}
