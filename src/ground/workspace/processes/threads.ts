/**
 * Lets as many slow reads wait in parallel as tools may run at once. The runtime reads files on a thread pool, one
 * thread per processor, so that with two of them a third slow file would wait for the first. The pool's size can only
 * be set by an environment variable, and only before its first use.
 */

import { dlopen } from "bun:ffi"
import { stat } from "node:fs"
import { availableParallelism } from "node:os"
import { systemLibrary } from "./system-library.ts"

/** Has no effect if the pool is large enough, was used before, or the system's library has another name. */
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
