/** Locks of open files that the kernel lets go of when their process ends, however it ends. */

import { dlopen } from "bun:ffi"
import { systemLibrary } from "./system-library.ts"

/** Whether it is ours from now until it is closed; never waits. */
export type LockFile = (fd: number) => boolean

/** LOCK_EX and LOCK_NB, the same on Linux and macOS. */
const exclusivelyOrNot = 2 | 4

/** Undefined where the system's library cannot be reached. */
export function openFileLock(): LockFile | undefined {
  const library = systemLibrary()
  if (library === undefined) return undefined
  try {
    const { flock } = dlopen(library, { flock: { args: ["int", "int"], returns: "int" } }).symbols
    return (fd) => flock(fd, exclusivelyOrNot) === 0
  } catch {
    return undefined
  }
}
