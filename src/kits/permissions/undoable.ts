/** Removing folders in accept-edits mode: build outputs inside the workspace, which /rewind can restore. */

import { posix } from "node:path"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { isOutput } from "#ground/workspace/shell/outputs.ts"
import type { JudgedCall } from "./call.ts"
import { namesBelow } from "./paths.ts"
import { protectedBelow } from "./protected-paths.ts"

/** How many names a snapshot is sure to include, even if git ignores them. */
const mostNames = 500

/** Whether a part removes only outputs that a snapshot includes: as written, not behind a link, nothing protected. */
export function isUndoableRemoval(segment: Segment, call: JudgedCall): boolean {
  const { argv, text, verdict, harmless, unbounded, writes } = segment
  return (
    argv[0] === "rm" &&
    verdict === "touches_files" &&
    harmless &&
    !unbounded &&
    // The value of a variable is known here, but may differ when the line is changed.
    !/[$`]/.test(text) &&
    writes.length > 0 &&
    writes.every((path) => isKept(path, call))
  )
}

function isKept(path: string, call: JudgedCall): boolean {
  if (path.split("/").includes("..")) return false
  const { workspace, forms } = call
  const plain = posix.normalize(path).replace(/\/+$/, "")
  const isDirect = [workspace.root, ...workspace.added].some((root) => {
    const names = namesBelow(root, plain)
    // Through a link, the real path would differ from the real root plus the same names.
    return (
      names && isOutput(names.join("/")) && forms(plain).at(-1) === posix.join(forms(root).at(-1) ?? root, ...names)
    )
  })
  const inside = isDirect ? call.below(plain) : undefined
  return (
    inside !== undefined && inside.length <= mostNames && protectedBelow(plain, inside, workspace, forms) === undefined
  )
}
