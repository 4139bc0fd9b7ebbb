/** What lies at a path, links not followed as the last step. */

import { lstatSync } from "node:fs"
import type { PathKind } from "./mounts.ts"

export function kindOf(path: string): PathKind | undefined {
  try {
    // Most of what a policy hides is not there, and an exception for each would cost more than all mounts together.
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    return found.isDirectory() ? "folder" : "file"
  } catch {
    return undefined
  }
}
