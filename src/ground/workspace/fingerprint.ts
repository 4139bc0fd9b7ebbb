/** Whether a file is as it was, told by its content: for finding out after a crash what an act came to. */

import { readFileSync, statSync } from "node:fs"

const mostBytes = 10_000_000

/** `absent` where there is no file; `unknown` for what is too large to look at, or no plain file. */
export function fingerprint(path: string): string {
  try {
    const stat = statSync(path)
    if (!stat.isFile() || stat.size > mostBytes) return "unknown"
    return Bun.hash(readFileSync(path)).toString(16)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOENT" ? "absent" : "unknown"
  }
}
