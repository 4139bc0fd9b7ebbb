/** The sample repository that ships with the program, for trying it without a project or an account. */

import { cp, mkdir, writeFile } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { embeddedFiles } from "./embedded.ts"

export async function copySample(to: string): Promise<void> {
  const embedded = embeddedFiles().filter(({ name }) => name.startsWith("sample/"))
  if (embedded.length === 0) return cp(resolve(import.meta.dir, "../../../sample"), to, { recursive: true })
  for (const { name, blob } of embedded) {
    const path = join(to, name.slice("sample/".length))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, await blob.bytes())
  }
}
