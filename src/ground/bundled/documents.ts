/** The guides and reference pages that ship with the program: from the source tree, or from the executable. */

import { readdirSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { embeddedFile } from "./embedded.ts"

export interface BundledDocument {
  /** What it is asked for by: its file's name, in small letters and without its ending. */
  readonly name: string
  readonly title: string
  /** In Markdown. */
  readonly text: string
}

/** The name of the file that an executable has them in; see scripts/documents.ts. */
export const documentsFile = "documents.json.zst"

const root = resolve(import.meta.dir, "../../..")

/** Guides first, then reference pages, each by name. */
export async function bundledDocuments(
  embedded: (name: string) => Blob | undefined = embeddedFile,
): Promise<readonly BundledDocument[]> {
  const packed = embedded(documentsFile)
  const texts = packed ? await unpacked(packed) : await documentTexts()
  return Object.entries(texts).map(([name, text]) => ({ name, title: /^# (.+)$/m.exec(text)?.[1] ?? name, text }))
}

/** As they are in the source tree. */
export async function documentTexts(): Promise<{ readonly [name: string]: string }> {
  const pages = (folder: string): readonly string[] =>
    readdirSync(join(root, folder))
      .filter((file) => file.endsWith(".md"))
      .toSorted()
      .map((file) => join(root, folder, file))
  const paths = [...pages("docs/guides"), join(root, "SECURITY.md"), ...pages("docs/reference")]
  return Object.fromEntries(
    await Promise.all(
      paths.map(async (path) => [basename(path, ".md").toLowerCase(), await Bun.file(path).text()] as const),
    ),
  )
}

async function unpacked(packed: Blob): Promise<{ readonly [name: string]: string }> {
  return JSON.parse((await Bun.zstdDecompress(await packed.bytes())).toString())
}
