/** Files that were just created: what is in them, and removing them again. Links are not followed. */

import { existsSync, lstatSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { decode } from "./text.ts"

export interface NewFileContent {
  /** Of its bytes. */
  readonly digest: string
  readonly bytes: number
  /** Absent if it is not text, or too long to be shown. */
  readonly text?: string
}

const mostShown = 200_000

export const newFiles = {
  exists: (path: string): boolean => existsSync(path) || isLink(path),
  /** Undefined if it is not there, or neither a file nor a link. */
  content(path: string): NewFileContent | undefined {
    try {
      const stat = lstatSync(path)
      if (stat.isSymbolicLink()) {
        const text = `link to ${readlinkSync(path)}\n`
        return { digest: digestOf(Buffer.from(text)), bytes: stat.size, text }
      }
      if (!stat.isFile()) return undefined
      const bytes = readFileSync(path)
      const read = stat.size > mostShown ? undefined : decode(bytes)
      return { digest: digestOf(bytes), bytes: stat.size, ...(read?.ok && { text: read.value.text }) }
    } catch {
      return undefined
    }
  },
  /** Whether it is gone. */
  remove(path: string): boolean {
    try {
      rmSync(path, { force: true })
      return true
    } catch {
      return false
    }
  },
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

const digestOf = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
