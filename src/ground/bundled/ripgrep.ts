/** The ripgrep that ships with the program: from the package when run from source, unpacked once from the executable otherwise. */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { embeddedFile } from "./embedded.ts"

/** Unpacks it on first use and only once, even for concurrent callers. */
export function ripgrepWhenNeeded(cacheFolder: string): () => Promise<string> {
  let finding: Promise<string> | undefined
  return () =>
    (finding ??= ripgrepPath(cacheFolder).catch((error: unknown) => {
      // A full disk may have room again when it is next asked for.
      finding = undefined
      throw error
    }))
}

export async function ripgrepPath(cacheFolder: string): Promise<string> {
  const embedded = embeddedFile("rg")
  if (!embedded) return packagePath()
  const path = join(cacheFolder, `rg-${embedded.size}`)
  if (existsSync(path)) return path
  mkdirSync(cacheFolder, { recursive: true, mode: 0o700 })
  // Several processes may unpack at the same time, each in its own folder; the rename is atomic.
  const folder = mkdtempSync(`${path}-`)
  const temporary = join(folder, "rg")
  try {
    // Straight from the executable: a copy of it in memory would be the largest thing there.
    await Bun.write(temporary, embedded)
    chmodSync(temporary, 0o700)
    renameSync(temporary, path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return path
}

function packagePath(): string {
  return Bun.resolveSync(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`, import.meta.dir)
}
