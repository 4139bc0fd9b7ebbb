/** Keeps other programs of the same user from reading the secrets of this process. */

import { dlopen, ptr } from "bun:ffi"
import { systemLibrary } from "./system-library.ts"

const dumpable = 4

/**
 * Overwrites variables in the memory that `/proc/<pid>/environ` shows, to root too, and lets no program of the same user look into the
 * process. False where that cannot be done. Programs that this one starts are not affected.
 */
export function hideProcess(variables: readonly string[]): boolean {
  const library = systemLibrary()
  if (process.platform !== "linux" || library === undefined) return false
  try {
    const { symbols } = dlopen(library, {
      getenv: { args: ["ptr"], returns: "ptr" },
      strlen: { args: ["ptr"], returns: "u64" },
      memset: { args: ["ptr", "int", "u64"], returns: "ptr" },
      prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" },
    })
    for (const name of variables) {
      const value = symbols.getenv(ptr(Buffer.from(`${name}\0`)))
      if (value !== null) symbols.memset(value, 0, symbols.strlen(value))
    }
    return symbols.prctl(dumpable, 0n, 0n, 0n, 0n) === 0
  } catch {
    return false
  }
}
