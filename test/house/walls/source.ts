/** The source tree as the walls see it: paths and texts, from disk or made up by a test. */

import { mask } from "./mask.ts"

/** One file: its path from the root of the repository, what it says, and the same with everything but code blanked. */
export interface Source {
  readonly path: string
  readonly text: string
  readonly code: string
}

/** Makes a file of a tree. */
export const source = (path: string, text: string): Source => ({ path, text, code: mask(text) })

/** Every TypeScript file below the given folders of the repository, in a fixed order. */
export async function readTree(root: string, folders: readonly string[]): Promise<readonly Source[]> {
  const glob = new Bun.Glob(`{${folders.join(",")}}/**/*.{ts,tsx,mjs}`)
  const paths = (await Array.fromAsync(glob.scan({ cwd: root }))).sort()
  return Promise.all(paths.map(async (path) => source(path, await Bun.file(`${root}/${path}`).text())))
}

/** A sentence about one place in one file, as every wall gives it. */
export function breach({ path, text }: Source, at: number, what: string): string {
  return `${path}:${lineAt(text, at)} ${what}`
}

/** The number of the line, from 1, that holds an offset. */
export function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length
}
