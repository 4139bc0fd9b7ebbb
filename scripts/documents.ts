/** The guides and reference pages in one compressed file, which an executable carries: see src/ground/bundled/documents.ts. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { documentsFile, documentTexts } from "#ground/bundled/documents.ts"

export interface PackedDocuments extends Disposable {
  readonly path: string
}

export async function packDocuments(): Promise<PackedDocuments> {
  const folder = mkdtempSync(join(tmpdir(), "codewright-documents-"))
  const path = join(folder, documentsFile)
  writeFileSync(path, await Bun.zstdCompress(JSON.stringify(await documentTexts()), { level: 19 }))
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}
