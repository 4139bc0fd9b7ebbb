/** The disk for the shell analysis and its neighbours: nothing throws, and nothing blocks on a pipe. */

import { lstatSync, readFileSync, statSync } from "node:fs"
import type { Disk } from "./shell/repository.ts"

export const disk: Disk = { readBytes, isFolder, isLink, isSame }

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** What cannot be read may be a link. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  } catch {
    return true
  }
}

function isSame(a: string, b: string): boolean {
  try {
    const [one, other] = [statSync(a), statSync(b)]
    return one.dev === other.dev && one.ino === other.ino
  } catch {
    return false
  }
}

function readBytes(path: string): Uint8Array | undefined {
  try {
    // A pipe would block forever.
    return statSync(path).isFile() ? readFileSync(path) : undefined
  } catch {
    return undefined
  }
}
