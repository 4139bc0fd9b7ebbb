/**
 * Whether a file system treats `A` and `a` as the same: found out by looking up an existing name in its other spelling.
 */

import { statSync } from "node:fs"
import { basename, dirname, join } from "node:path"

/** Identifies a file; undefined if it does not exist or cannot be read. */
export type FileId = (path: string) => string | undefined

/**
 * Uses the nearest existing name, of the folder or above it, that has letters; without one, assumes case sensitivity.
 */
export function ignoresCase(folder: string, fileId: FileId = onDisk): boolean {
  for (let path = folder; dirname(path) !== path; path = dirname(path)) {
    const name = basename(path)
    const swapped = swappedCase(name)
    const id = swapped === name ? undefined : fileId(path)
    if (id !== undefined) return fileId(join(dirname(path), swapped)) === id
  }
  return false
}

const swappedCase = (name: string): string =>
  [...name].map((char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase())).join("")

function onDisk(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}
