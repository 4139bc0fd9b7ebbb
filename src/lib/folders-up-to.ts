/** A folder and its ancestors. */

import { dirname } from "node:path"

/** Up to and including `top`, nearest first; only the folder itself if it is not below `top`. */
export function foldersUpTo(from: string, top: string): readonly string[] {
  if (from === top || !from.startsWith(top.endsWith("/") ? top : `${top}/`)) return [from]
  return [from, ...foldersUpTo(dirname(from), top)]
}
