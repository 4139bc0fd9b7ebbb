/** The embedded Postgres that ships inside the executable; from source its package is used as it is. */

import { compressedFile } from "./embedded-compressed.ts"

export interface BundledEngine {
  readonly wasm: Blob
  readonly files: Blob
  readonly empty: Blob
}

/** The names of its files in the executable. */
export const engineFiles = { wasm: "pglite.wasm", files: "pglite.data", empty: "empty-database.tar" } as const

export async function bundledEngine(): Promise<BundledEngine | undefined> {
  const [wasm, files, empty] = await Promise.all([
    unpacked(engineFiles.wasm),
    unpacked(engineFiles.files),
    unpacked(engineFiles.empty),
  ])
  return wasm && files && empty && { wasm, files, empty }
}

async function unpacked(name: string): Promise<Blob | undefined> {
  const bytes = await compressedFile(name)?.bytes()
  return bytes && new Blob([new Uint8Array(bytes)])
}
