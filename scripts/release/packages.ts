/** Packages of other platforms from the npm registry: Bun and ripgrep. What arrives must be what is pinned. */

import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import lock from "../../package-lock.json"

const root = resolve(import.meta.dir, "../..")
const cache = join(root, "node_modules/.cache/codewright-platforms")

/** Not in the lock file, because Bun's own package does not install them. */
const pinned: { readonly [name: string]: string } = {
  "@oven/bun-linux-x64-baseline":
    "sha512-FBU6T21NT+i+rESbi0Z8A8G5xN51c+WZ0v6pIjI6szSzOlqVNv64nf7FPnwNIyxKD1M7Wg5cEobLC/QbzCeLtA==",
  "@oven/bun-linux-x64-musl-baseline":
    "sha512-hlAPq5jIndGITsca7kUL/jB53hPSq5wEOEHSe36Z7GnUAiCTJn3aS5JBzmYXO1lLK7gt1vRxUF2Bk6WhelIfxw==",
}

/** The path of one file of a package, such as `bin/rg`. */
export async function packageFile(name: string, version: string, file: string): Promise<string> {
  const folder = join(cache, `${name.replace("/", "+")}-${version}`)
  const path = join(folder, file)
  if (existsSync(path)) return path
  const fresh = `${folder}.${process.pid}`
  mkdirSync(fresh, { recursive: true })
  try {
    const archive = join(
      fresh,
      run(["npm", "pack", "--silent", "--ignore-scripts", `${name}@${version}`], fresh).trim(),
    )
    const integrity = `sha512-${new Bun.CryptoHasher("sha512").update(await Bun.file(archive).bytes()).digest("base64")}`
    if (integrity !== integrityOf(name, version))
      throw new Error(`${name}@${version} is not what package-lock.json pins: ${integrity}`)
    run(["tar", "-xzf", archive, "--strip-components=1"], fresh)
    rmSync(archive)
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return path
}

function integrityOf(name: string, version: string): string | undefined {
  const packages: { readonly [path: string]: { readonly version?: string; readonly integrity?: string } } =
    lock.packages
  const locked = packages[`node_modules/${name}`]
  return locked?.version === version ? locked.integrity : pinned[name]
}

export function run(argv: readonly string[], cwd: string, stdin: "ignore" | Uint8Array = "ignore"): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...argv], { cwd, stdin })
  if (exitCode !== 0) throw new Error(`${argv.join(" ")} failed (${exitCode}): ${stderr.toString()}`)
  return stdout.toString()
}
