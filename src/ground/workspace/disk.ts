/** The disk as the shell analysis and its neighbours ask about it: nothing throws, and nothing waits on a pipe. */

import { readFileSync, statSync } from "node:fs"
import type { Disk } from "./shell/repository.ts"

export const disk: Disk = { readBytes, isFolder }

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

function readBytes(path: string): Uint8Array | undefined {
  try {
    // A pipe would hold us for ever.
    return statSync(path).isFile() ? readFileSync(path) : undefined
  } catch {
    return undefined
  }
}
