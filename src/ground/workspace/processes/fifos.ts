/** Creates named pipes: with the system call, or the system's program where that cannot be reached. */

import { dlopen } from "bun:ffi"
import { existsSync } from "node:fs"
import { systemLibrary } from "./system-library.ts"

export interface FifoMaker {
  readonly make: (paths: readonly string[]) => boolean
  /** How many are worth creating at once. */
  readonly atOnce: number
}

export function openFifoMaker(library: string | undefined = systemLibrary()): FifoMaker {
  return (library === undefined ? undefined : byCall(library)) ?? byProgram
}

function byCall(library: string): FifoMaker | undefined {
  try {
    const { mkfifo } = dlopen(library, { mkfifo: { args: ["cstring", "u32"], returns: "i32" } }).symbols
    return { make: (paths) => paths.every((path) => mkfifo(Buffer.from(`${path}\0`), 0o600) === 0), atOnce: 1 }
  } catch {
    return undefined
  }
}

const programs = ["/usr/bin/mkfifo", "/bin/mkfifo", "/run/current-system/sw/bin/mkfifo"] as const

const byProgram: FifoMaker = {
  make(paths) {
    const file = programs.find((path) => existsSync(path))
    if (file === undefined) return false
    return Bun.spawnSync([file, "-m", "600", "--", ...paths], { stdio: ["ignore", "ignore", "ignore"] }).exitCode === 0
  },
  // Starting the program costs far more than another pipe does.
  atOnce: 6,
}
