/**
 * Lets as many slow reads wait side by side as tools may run at once. The runtime waits for files on a pool of threads,
 * one for each processor, so that on two of them the third slow file would wait for the first. The pool takes another
 * size only from a variable of the process, and only at its first use.
 */

import { dlopen } from "bun:ffi"
import { stat } from "node:fs"
import { availableParallelism } from "node:os"
import { systemLibrary } from "./system-library.ts"

/** Without effect where the pool is large enough, was used before, or the system's library has another name. */
export function allowWaiting(atOnce: number): void {
  const library = systemLibrary()
  if (availableParallelism() >= atOnce || library === undefined) return
  try {
    const { symbols } = dlopen(library, {
      getenv: { args: ["cstring"], returns: "ptr" },
      setenv: { args: ["cstring", "cstring", "int"], returns: "int" },
      unsetenv: { args: ["cstring"], returns: "int" },
    })
    // Whoever set a size for this process meant it.
    if (symbols.getenv(variable) !== null) return
    symbols.setenv(variable, Buffer.from(`${atOnce}\0`), 1)
    // The first use; after it the variable is gone again, so that no command gets to see it.
    stat("/", () => {})
    symbols.unsetenv(variable)
  } catch {
    // Slow files then wait for each other.
  }
}

const variable = Buffer.from("UV_THREADPOOL_SIZE\0")
