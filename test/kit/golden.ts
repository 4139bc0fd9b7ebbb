/** Texts that a test holds an output against, kept in files. `UPDATE_GOLDENS=1` writes them anew. */

import { expect } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

export async function expectGolden(path: string, text: string): Promise<void> {
  if (process.env["UPDATE_GOLDENS"]) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  expect(text).toBe(await Bun.file(path).text())
}
