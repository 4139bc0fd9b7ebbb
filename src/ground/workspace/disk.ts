/** The disk for the shell analysis and its neighbours: nothing throws, and nothing blocks on a pipe. */

import { lstatSync, readFileSync, statSync } from "node:fs"
import type { Disk } from "./shell/programs/repository.ts"

/** Most of what is asked about is missing, and an exception would cost more than the look. */
export const orUndefined = { throwIfNoEntry: false } as const

export const disk: Disk = { readBytes, isFolder, isLink, isSame }

function isFolder(path: string): boolean {
  try {
    return statSync(path, orUndefined)?.isDirectory() ?? false
  } catch {
    return false
  }
}

/** What cannot be read may be a link. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path, orUndefined)?.isSymbolicLink() ?? false
  } catch {
    return true
  }
}

function isSame(a: string, b: string): boolean {
  try {
    const [one, other] = [statSync(a, orUndefined), statSync(b, orUndefined)]
    return one !== undefined && one.dev === other?.dev && one.ino === other.ino
  } catch {
    return false
  }
}

function readBytes(path: string): Uint8Array | undefined {
  try {
    // A pipe would block forever.
    return statSync(path, orUndefined)?.isFile() ? readFileSync(path) : undefined
  } catch {
    return undefined
  }
}
