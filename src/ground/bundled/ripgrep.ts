/** The ripgrep that ships with the program: from the package when run from source, unpacked once from the executable otherwise. */

import { chmodSync, existsSync, mkdirSync, renameSync } from "node:fs"
import { dirname, join } from "node:path"
import { embeddedFiles } from "./embedded.ts"

/** The absolute path of the program. */
export async function ripgrepPath(options: { readonly cacheFolder: string; readonly pid: number }): Promise<string> {
  const embedded = embeddedFiles().find(({ name }) => name === "rg")
  if (!embedded) return packagePath()
  const path = join(options.cacheFolder, `rg-${embedded.blob.size}`)
  if (existsSync(path)) return path
  // Two first runs at once may both unpack; the rename makes either whole.
  const temporary = `${path}.${options.pid}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // Straight from the executable: a copy of it in memory would be the largest thing there.
  await Bun.write(temporary, embedded.blob)
  chmodSync(temporary, 0o700)
  renameSync(temporary, path)
  return path
}

function packagePath(): string {
  return Bun.resolveSync(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`, import.meta.dir)
}
