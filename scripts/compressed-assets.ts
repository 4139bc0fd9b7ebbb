/** Files that executables carry compressed: made once for their contents, with the digests that prove them unpacked. */

import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"

const cache = resolve(import.meta.dir, "../node_modules/.cache/codewright-compressed")

/** The largest window: an empty database has three copies of one catalog, far apart. */
const level = 22

export interface CompressedAssets {
  /** For the compiler. */
  readonly flags: readonly string[]
  /** See src/lib/build.ts. */
  readonly digests: { readonly [name: string]: string }
}

/** `files`: what each is called in the executable, and its bytes. */
export async function compressedAssets(files: { readonly [name: string]: Uint8Array }): Promise<CompressedAssets> {
  const made = await Promise.all(Object.entries(files).map(([name, bytes]) => compressed(name, bytes)))
  return {
    flags: made.map(({ path }) => `--asset=${path}`),
    digests: Object.fromEntries(made.map(({ name, digest }) => [name, digest])),
  }
}

async function compressed(
  name: string,
  bytes: Uint8Array,
): Promise<{ readonly name: string; readonly digest: string; readonly path: string }> {
  const digest = new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
  const folder = join(cache, `${digest.slice(0, 16)}-${level}`)
  const path = join(folder, `${name}.zst`)
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true })
    const fresh = `${path}.${process.pid}`
    writeFileSync(fresh, await Bun.zstdCompress(bytes, { level }))
    renameSync(fresh, path)
  }
  return { name, digest, path }
}
