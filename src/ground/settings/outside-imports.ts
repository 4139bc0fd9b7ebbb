/**
 * The user's answers about memory files that import files from outside their project: asked once, kept in the state
 * folder.
 */

import { join } from "node:path"
import { projectIn, projectsIn, replaceFile } from "#lib/state-file.ts"
import type { Result } from "#lib/result.ts"
import { makePrivateFolder } from "./state-folder.ts"

export interface OutsideImports {
  /** Undefined when the user was not asked about the file yet. */
  readonly isAllowed: (root: string, file: string) => boolean | undefined
  readonly keep: (root: string, files: readonly string[], isAllowed: boolean) => Result<void, string>
}

export function openOutsideImports(state: string): OutsideImports {
  const path = join(state, "imports.json")
  return {
    isAllowed(root, file) {
      const answer = projectIn(path, root)[file]
      return typeof answer === "boolean" ? answer : undefined
    },
    keep(root, files, isAllowed) {
      const made = makePrivateFolder(state)
      if (!made.ok) return made
      const now = { ...projectIn(path, root), ...Object.fromEntries(files.map((file) => [file, isAllowed])) }
      const text = JSON.stringify({ version: 1, projects: { ...projectsIn(path), [root]: now } }, null, 2)
      return replaceFile(path, `${text}\n`)
    },
  }
}
