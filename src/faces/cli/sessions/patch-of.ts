/**
 * What the edits of a conversation changed, as patches one after the other, from what each of them showed. What shell
 * commands changed is not among it.
 */

import { isAbsolute, relative } from "node:path"
import type { FileDiff } from "#agent/words/display.ts"
import type { Entry } from "#agent/words/entry.ts"
import { type Hunk, patchText } from "#lib/diff.ts"

/** `left` hears of each change that was only partly shown. */
export function* patchOf(path: Iterable<Entry>, cwd: string, left: (file: string) => void): Generator<string> {
  for (const entry of path)
    for (const diff of diffsIn(entry)) {
      if (!diff.hunks.every(isWhole)) left(diff.path)
      else if (diff.hunks.length > 0) yield patched(diff, cwd)
    }
}

function diffsIn(entry: Entry): readonly FileDiff[] {
  if (entry.kind !== "result" || entry.isError || !entry.display) return []
  if (entry.display.kind === "diff") return [entry.display]
  return entry.display.kind === "diffs" ? entry.display.files : []
}

function patched({ path, hunks, created }: FileDiff, cwd: string): string {
  const own = isAbsolute(path) ? relative(cwd, path) : path
  const name = own.startsWith("..") ? path : own
  const before = created ? "/dev/null" : `a/${name}`
  const kind = created ? "new file mode 100644\n" : ""
  return `diff --git a/${name} b/${name}\n${kind}--- ${before}\n+++ b/${name}\n${patchText(hunks)}\n`
}

/** Very long hunks are cut where they are made, and half a hunk is not a patch. */
function isWhole({ oldLines, newLines, lines }: Hunk): boolean {
  const count = (...marks: readonly string[]): number => lines.filter((line) => marks.includes(line[0] ?? " ")).length
  return count(" ", "-") === oldLines && count(" ", "+") === newLines
}
