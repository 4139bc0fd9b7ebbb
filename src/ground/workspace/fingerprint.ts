/** Whether a file has changed, by its content: for finding out after a crash what a call did. */

import { readFileSync, statSync } from "node:fs"
import { codeOf } from "#lib/error-code.ts"

const mostBytes = 10_000_000

/** `absent` if there is no file; `unknown` for what is too large or not a regular file. */
export function fingerprint(path: string): string {
  try {
    const stat = statSync(path)
    if (!stat.isFile() || stat.size > mostBytes) return "unknown"
    return Bun.hash(readFileSync(path)).toString(16)
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "absent" : "unknown"
  }
}
