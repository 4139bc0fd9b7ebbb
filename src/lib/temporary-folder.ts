/** New folders for temporary files. */

import { mkdtempSync, realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { codeOf } from "./error-code.ts"
import { failed, ok, type Result } from "./result.ts"

/** Open to its owner only, with a name that begins like this. The failure is a sentence. */
export function makeTemporaryFolder(prefix: string): Result<string, string> {
  try {
    return ok(realpathSync(mkdtempSync(join(tmpdir(), prefix))))
  } catch (error) {
    return failed(
      `The temporary folder ${tmpdir()} cannot be written (${codeOf(error) || String(error)}). Set TMPDIR to a writable folder.`,
    )
  }
}
