/** Where temporary files go, if the user has named a folder for them: it counts like TMPDIR, for this program and its children. */

import { mkdirSync } from "node:fs"
import { processEnvironment, readEnvironment } from "./environment.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** Before anything asks for the temporary folder. */
export function useTemporaryFolder(): Result<void, string> {
  const env = processEnvironment()
  // Nearly nobody sets it, and reading the whole table takes longer than looking.
  if (!env.CODEWRIGHT_TMPDIR && !env.CLAUDE_CODE_TMPDIR) return ok(undefined)
  const { temporaryFolder, givenBy } = readEnvironment(env)
  if (temporaryFolder === undefined) return ok(undefined)
  try {
    mkdirSync(temporaryFolder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return failed(`${givenBy.temporaryFolder} names ${temporaryFolder}, which cannot be used as a folder (${why}).`)
  }
  process.env.TMPDIR = temporaryFolder
  return ok(undefined)
}
