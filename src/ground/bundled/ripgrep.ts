/** The ripgrep that ships with the program: from the package when run from source, unpacked once from the executable otherwise. */

import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
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
  writeFileSync(temporary, await embedded.blob.bytes())
  chmodSync(temporary, 0o700)
  renameSync(temporary, path)
  return path
}

function packagePath(): string {
  const require = createRequire(import.meta.url)
  return require.resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`)
}
