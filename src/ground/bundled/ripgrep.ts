/** The ripgrep that ships with the program: from the package when run from source, unpacked once from the executable otherwise. */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { compressedFile } from "./embedded-compressed.ts"

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
  const packed = compressedFile("rg")
  if (!packed) return packagePath()
  const path = join(cacheFolder, `rg-${packed.digest.slice(0, 16)}`)
  if (existsSync(path)) return path
  mkdirSync(cacheFolder, { recursive: true, mode: 0o700 })
  // Several processes may unpack at the same time, each in its own folder; the rename is atomic.
  const folder = mkdtempSync(`${path}-`)
  const temporary = join(folder, "rg")
  try {
    await Bun.write(temporary, await packed.bytes())
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
