/** A folder and those above it. */

import { dirname } from "node:path"

/** Up to and with `top`, nearest first; the folder alone where it does not lie below. */
export function foldersUpTo(from: string, top: string): readonly string[] {
  if (from === top || !from.startsWith(top.endsWith("/") ? top : `${top}/`)) return [from]
  return [from, ...foldersUpTo(dirname(from), top)]
}
