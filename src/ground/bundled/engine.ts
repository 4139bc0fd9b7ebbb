/** The embedded Postgres that ships inside the executable; from source its package is used as it is. */

import { embeddedFiles } from "./embedded.ts"

export interface BundledEngine {
  readonly wasm: Blob
  readonly files: Blob
  readonly empty: Blob
}

export function bundledEngine(): BundledEngine | undefined {
  const all = embeddedFiles()
  const find = (fits: (name: string) => boolean): Blob | undefined => all.find(({ name }) => fits(name))?.blob
  const wasm = find((name) => name === "pglite.wasm")
  const files = find((name) => name === "pglite.data")
  const empty = find((name) => name.startsWith("empty-database-"))
  return wasm && files && empty && { wasm, files, empty }
}
