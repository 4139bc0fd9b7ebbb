/** The helper of the sandbox as it is on a kernel where programs cannot be recorded. */

import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { confinePath } from "#ground/bundled/confine.ts"

/** Its path; it lies in this folder. */
export async function unrecordingHelper(folder: string): Promise<string | undefined> {
  const helper = await confinePath({ cacheFolder: folder, pid: process.pid })
  if (helper === undefined) return undefined
  // Run from source, the helper itself lies in the repository.
  const path = join(folder, "confine-unrecording")
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, `#!/bin/sh\n[ "$1" = record ] && exit 1\nexec "${helper}" "$@"\n`)
  chmodSync(path, 0o755)
  return path
}
