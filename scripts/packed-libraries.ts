/** The libraries that executables carry compressed, each as one file that imports nothing but what the runtime has. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { libraryFile, packedLibraries } from "#ground/bundled/libraries.ts"

const root = resolve(import.meta.dir, "..")

/** By the names of their files in the executable. */
export async function libraryFiles(): Promise<{ readonly [name: string]: Uint8Array }> {
  const made = Object.entries(packedLibraries).map(
    async ([name, used]) => [libraryFile(name), await bundled(name, used)] as const,
  )
  return Object.fromEntries(await Promise.all(made))
}

/** For the compiler, which leaves them out. */
export const withoutLibraries: readonly string[] = Object.keys(packedLibraries).map((name) => `--external=${name}`)

async function bundled(name: string, used: string): Promise<Uint8Array> {
  // Packages are looked for from here.
  const folder = mkdtempSync(join(root, "node_modules/.cache/codewright-library-"))
  try {
    const entry = join(folder, "library.ts")
    writeFileSync(entry, `export { ${used} } from "${name}"\n`)
    const { outputs } = await Bun.build({
      entrypoints: [entry],
      target: "bun",
      format: "esm",
      minify: true,
      define: { "process.env.NODE_ENV": '"production"' },
    })
    const [output] = outputs
    if (!output) throw new Error(`${name} could not be bundled.`)
    return new Uint8Array(await output.arrayBuffer())
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
