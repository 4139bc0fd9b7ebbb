/** Where the program keeps its own data: the state folder, and in it a folder for each project. */

import { mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { codeOf } from "#lib/error-code.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Environment } from "./environment.ts"

const longestSlug = 200

/** From the environment, or the account when that is not set. */
export function homeFolder(environment: Environment): string {
  return environment.home ?? homedir()
}

/** `CODEWRIGHT_HOME`, else `CLAUDE_CONFIG_DIR`, else `.codewright` in the home folder. */
export function stateFolder(environment: Environment, home: string): string {
  return environment.stateHome ?? join(home, ".codewright")
}

/**
 * Creates a folder of the state with its parents, accessible to its owner only; the failure is a sentence for the
 * user.
 */
export function makePrivateFolder(path: string): Result<string, string> {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return ok(path)
  } catch (error) {
    const why = codeOf(error) || String(error)
    return failed(`The folder ${path} cannot be created (${why}). Set CODEWRIGHT_HOME to a folder that can be written.`)
  }
}

export function projectFolder(state: string, cwd: string): string {
  return join(state, "projects", projectSlug(cwd))
}

/** Where snapshots of a project's files are, for rewinding. */
export function fileHistory(state: string, cwd: string): string {
  return join(state, "file-history", projectSlug(cwd))
}

/** Every character that is not a plain letter or digit becomes a dash. */
export function projectSlug(cwd: string): string {
  const slug = cwd.replace(/[^A-Za-z0-9]/g, "-")
  if (slug.length <= longestSlug) return slug
  // File systems end a name at 255 bytes; the hash keeps two long folders apart.
  return `${slug.slice(0, longestSlug)}-${Bun.hash(cwd).toString(36)}`
}
