/**
 * Small text files that are read at the start, such as memory files: synchronously, without blocking, and nothing
 * throws.
 */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { realPath } from "./paths.ts"
import { decode } from "./text.ts"

export interface TextFile {
  /** The real path. */
  readonly real: string
  readonly text: string
}

export interface TextFiles {
  /** Undefined for what is missing, not text, or larger than anyone would write by hand. */
  readonly read: (path: string) => TextFile | undefined
  /** Sorted. */
  readonly names: (folder: string) => readonly string[]
}

const mostBytes = 4_000_000

export const textFiles: TextFiles = {
  read(path) {
    try {
      // A pipe would block forever.
      const stat = statSync(path, { throwIfNoEntry: false })
      if (!stat?.isFile() || stat.size > mostBytes) return undefined
      const decoded = decode(readFileSync(path))
      return decoded.ok ? { real: realPath(path), text: decoded.value.text } : undefined
    } catch {
      return undefined
    }
  },
  names(folder) {
    try {
      // Most are missing, and an error takes longer than the look.
      return existsSync(folder) ? readdirSync(folder).toSorted() : []
    } catch {
      return []
    }
  },
}
