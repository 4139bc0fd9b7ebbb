/** Removing folders that accepting edits covers: outputs of tools inside the workspace, which /rewind brings back. */

import { posix } from "node:path"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { isOutput } from "#ground/workspace/shell/outputs.ts"
import type { JudgedCall } from "./call.ts"
import { namesBelow } from "./paths.ts"
import { protectedBelow } from "./protected-paths.ts"

/** How many names a snapshot is sure to keep, also where they are ignored by git. */
const mostNames = 500

/** Whether a part removes nothing but outputs that a snapshot keeps: as written, behind no link, nothing protected. */
export function isUndoableRemoval(segment: Segment, call: JudgedCall): boolean {
  const { argv, text, verdict, harmless, unbounded, writes } = segment
  return (
    argv[0] === "rm" &&
    verdict === "touches_files" &&
    harmless &&
    !unbounded &&
    // What a variable holds is known here, and may be another thing when the line is changed.
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
    // Through a link the real path would be another one than the real root and the same names.
    return (
      names && isOutput(names.join("/")) && forms(plain).at(-1) === posix.join(forms(root).at(-1) ?? root, ...names)
    )
  })
  const inside = isDirect ? call.below(plain) : undefined
  return (
    inside !== undefined && inside.length <= mostNames && protectedBelow(plain, inside, workspace, forms) === undefined
  )
}
