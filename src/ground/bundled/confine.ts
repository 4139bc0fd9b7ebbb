/**
 * The sandbox helper that ships with the program: from the source tree when run from source, unpacked from the
 * executable otherwise.
 */

import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { embeddedFile } from "./embedded.ts"

export interface ConfineOptions {
  readonly cacheFolder: string
  readonly pid: number
  /** A file of the executable. */
  readonly embedded?: (name: string) => Blob | undefined
}

/** An absolute path; undefined if there is no helper for this machine. */
export async function confinePath({
  cacheFolder,
  pid,
  embedded = embeddedFile,
}: ConfineOptions): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined
  const name = `confine-${process.arch}`
  const ours = embedded(name)
  if (!ours) return sourcePath(name)
  const bytes = await ours.bytes()
  const digest = sha256(bytes)
  const path = join(cacheFolder, `${name}-${digest.slice(0, 16)}`)
  // This also runs outside the sandbox: whatever else is there by now is replaced, and never run.
  if (existsSync(path) && sha256(readFileSync(path)) === digest) return path
  const temporary = `${path}.${pid}`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(temporary, bytes)
  chmodSync(temporary, 0o700)
  // Two first runs at once may both unpack; the rename makes either whole.
  renameSync(temporary, path)
  return path
}

function sourcePath(name: string): string | undefined {
  const path = resolve(import.meta.dir, "../sandbox/confine", name)
  return existsSync(path) ? path : undefined
}

const sha256 = (bytes: Uint8Array): string => new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
