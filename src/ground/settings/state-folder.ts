/** Where the program keeps its own things: the state folder, and in it a folder for each project. */

import { mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Environment } from "./environment.ts"

const longestSlug = 200

/** The home folder: the environment's, or the account's when that is not set. */
export function homeFolder(environment: Environment): string {
  return environment.home ?? homedir()
}

/** The state folder: `CODEWRIGHT_HOME`, else `CLAUDE_CONFIG_DIR`, else `.codewright` at home. */
export function stateFolder(environment: Environment, home: string): string {
  return environment.stateHome ?? join(home, ".codewright")
}

/** Makes a folder of the state with its parents, open to its owner only; the failure is a sentence for a person. */
export function makePrivateFolder(path: string): Result<string, string> {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return ok(path)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return failed(`The folder ${path} could not be made (${why}). Make it writable, or set CODEWRIGHT_HOME to another.`)
  }
}

/** The folder in which the sessions of a working folder are kept. */
export function projectFolder(state: string, cwd: string): string {
  return join(state, "projects", projectSlug(cwd))
}

/** A working folder as one file name: every character that is not a plain letter or digit becomes a dash. */
export function projectSlug(cwd: string): string {
  const slug = cwd.replace(/[^A-Za-z0-9]/g, "-")
  if (slug.length <= longestSlug) return slug
  // File systems end a name at 255 bytes; the hash keeps two long folders apart.
  return `${slug.slice(0, longestSlug)}-${Bun.hash(cwd).toString(36)}`
}
