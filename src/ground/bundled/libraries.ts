/** Large libraries that few sessions need: the executable carries each compressed; from source they are ordinary packages. */

import { build } from "#lib/build.ts"

/** The packages, and the one export that we use of each: see scripts/packed-libraries.ts. */
export const packedLibraries = {
  "@electric-sql/pglite": "PGlite",
  "@mozilla/readability": "Readability",
  linkedom: "parseHTML",
  turndown: "default",
  unpdf: "getDocumentProxy",
} as const

/** Its file in the executable. */
export const libraryFile = (name: string): string => `${name.replace("@", "").replace("/", "-")}.js`

/** In an executable, importing one of them unpacks it from now on; it is loaded once, as any module. */
export function provideLibraries(): void {
  const packed = Object.keys(packedLibraries).filter((name) => build.assets?.[libraryFile(name)] !== undefined)
  if (packed.length === 0) return
  void Bun.plugin({
    name: "packed libraries",
    setup(plugin) {
      for (const name of packed)
        plugin.module(name, async () => ({ loader: "js", contents: await textOf(libraryFile(name)) }))
    },
  })
}

async function textOf(file: string): Promise<string> {
  const { compressedFile } = await import("./embedded-compressed.ts")
  return new TextDecoder().decode(await compressedFile(file)?.bytes())
}
