/** A place to work in that nobody has ever worked in: an empty home, an almost empty state folder and some small files. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cleaningMark } from "../../src/ground/transcript/cleaning.ts"

export interface BenchPlace {
  readonly home: string
  readonly state: string
  readonly work: string
  /** The files, each some lines of text. */
  readonly files: readonly string[]
  readonly remove: () => void
}

export function makePlace({ files = 0 }: { readonly files?: number } = {}): BenchPlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "codewright-bench-")))
  const folder = (name: string): string => {
    mkdirSync(join(root, name))
    return join(root, name)
  }
  const work = folder("work")
  const paths = Array.from({ length: files }, (_, i) => join(work, `file-${i}.txt`))
  for (const [i, path] of paths.entries())
    writeFileSync(
      path,
      Array.from({ length: 12 }, (_, n) => `line ${n + 1} of file ${i}, short as lines are\n`).join(""),
    )
  const state = folder("state")
  // As on most runs, old sessions were cleaned up earlier that day.
  mkdirSync(join(state, "cache"))
  writeFileSync(cleaningMark(state), "")
  return {
    home: folder("home"),
    state,
    work,
    files: paths,
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
