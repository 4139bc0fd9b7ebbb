/** Files inside the executable; none when run from source. */

import { existsSync } from "node:fs"
import { dirname, join } from "node:path"

export interface EmbeddedFile {
  /** A file embedded by itself has its bare name, one in a folder the path from that folder. */
  readonly name: string
  readonly blob: Blob
}

/** Where files embedded by themselves are, when this code runs from an executable. */
const inside = /^(?:\/\$bunfs\/|[A-Z]:[\\/]~BUN[\\/])/.test(import.meta.dir) ? dirname(Bun.main) : undefined

/** One file by itself; undefined when run from source. Asking for all of them takes 12 ms, since the database is large. */
export function embeddedFile(name: string): Blob | undefined {
  const path = embeddedPath(name)
  return path === undefined ? undefined : Bun.file(path)
}

export function embeddedPath(name: string): string | undefined {
  const path = inside === undefined ? undefined : join(inside, name)
  return path !== undefined && existsSync(path) ? path : undefined
}

export function embeddedFiles(): readonly EmbeddedFile[] {
  return Bun.embeddedFiles.flatMap((blob) =>
    "name" in blob && typeof blob.name === "string" ? [{ name: blob.name, blob }] : [],
  )
}
