/**
 * What the edits of a conversation changed, as patches one after the other, from what each of them showed. What shell
 * commands changed is not among it.
 */

import { isAbsolute, relative } from "node:path"
import type { FileDiff } from "#agent/words/display.ts"
import type { Entry } from "#agent/words/entry.ts"
import { type Hunk, patchText } from "#lib/diff.ts"

export interface SessionPatch {
  readonly patch: string
  /** Files whose change was only partly shown. */
  readonly left: readonly string[]
}

export function patchOf(path: readonly Entry[], cwd: string): SessionPatch {
  const diffs = path.flatMap((entry): readonly FileDiff[] => {
    if (entry.kind !== "result" || entry.isError || !entry.display) return []
    if (entry.display.kind === "diff") return [entry.display]
    return entry.display.kind === "diffs" ? entry.display.files : []
  })
  const whole = diffs.filter(({ hunks }) => hunks.length > 0 && hunks.every(isWhole))
  return {
    patch: whole.map((diff) => patched(diff, cwd)).join(""),
    left: diffs.filter(({ hunks }) => !hunks.every(isWhole)).map((diff) => diff.path),
  }
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
