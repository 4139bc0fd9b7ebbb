/** The disk for the sandbox's policy: nothing throws. */

import { lstatSync, readdirSync, readFileSync, statSync, type Stats } from "node:fs"
import { realPath } from "./paths.ts"

export interface PlainDisk {
  readonly kindOf: (path: string) => "file" | "folder" | "other" | undefined
  readonly isLink: (path: string) => boolean
  readonly real: (path: string) => string
  readonly list: (
    folder: string,
  ) => readonly { readonly name: string; readonly isFolder: boolean; readonly isLink: boolean }[]
  readonly text: (path: string) => string | undefined
  /** What is at a path itself, following no link; undefined if nothing is. */
  readonly entryOf: (path: string) => DiskEntry | undefined
  /** The names in a folder; undefined if it cannot be read. */
  readonly names: (folder: string) => readonly string[] | undefined
  /** The content of a file of any length; undefined if it cannot be read. */
  readonly bytes: (path: string) => Uint8Array | undefined
  /** Changes whenever something is added to or removed from a folder. */
  readonly stampOf: (folder: string) => string
}

export interface DiskEntry {
  readonly kind: "file" | "folder" | "link" | "other"
  /** Which file it is, whatever its name. */
  readonly id: string
  /** When it last changed, was renamed or got other rights. No program can set it. */
  readonly changedMs: number
  readonly isExecutable: boolean
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
        isLink: entry.isSymbolicLink(),
      })),
    ) ?? [],
  text: (path) =>
    tried(() => {
      const stats = statSync(path, { throwIfNoEntry: false })
      return stats?.isFile() && stats.size <= mostBytes ? readFileSync(path, "utf8") : undefined
    }),
  entryOf: (path) => tried(() => entryFrom(lstatSync(path, { throwIfNoEntry: false }))),
  names: (folder) => tried(() => readdirSync(folder)),
  bytes: (path) => tried(() => (statSync(path).isFile() ? readFileSync(path) : undefined)),
  stampOf(folder) {
    const stats = tried(() => statSync(folder, { throwIfNoEntry: false }))
    return stats ? `${stats.ino} ${stats.mtimeMs}` : ""
  },
}

function entryFrom(stats: Stats | undefined): DiskEntry | undefined {
  if (!stats) return undefined
  return {
    kind: kindOf(stats),
    id: `${stats.dev} ${stats.ino}`,
    changedMs: stats.ctimeMs,
    isExecutable: (stats.mode & 0o111) !== 0,
  }
}

function kindOf(stats: Stats): DiskEntry["kind"] {
  if (stats.isDirectory()) return "folder"
  if (stats.isFile()) return "file"
  return stats.isSymbolicLink() ? "link" : "other"
}

function tried<T>(operation: () => T): T | undefined {
  try {
    return operation()
  } catch {
    return undefined
  }
}
