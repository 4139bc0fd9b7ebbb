/**
 * The user's answers about memory files that import files from outside their project: asked once, kept in the state
 * folder.
 */

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { isObject, type JsonObject } from "#lib/json.ts"
import { replaceFile } from "#lib/replace-file.ts"
import type { Result } from "#lib/result.ts"
import { makePrivateFolder } from "./state-folder.ts"

export interface OutsideImports {
  /** Undefined when the user was not asked about the file yet. */
  readonly isAllowed: (root: string, file: string) => boolean | undefined
  readonly keep: (root: string, files: readonly string[], isAllowed: boolean) => Result<void, string>
}

export function openOutsideImports(state: string): OutsideImports {
  const path = join(state, "imports.json")
  // Read when it is first needed: nearly no project imports from outside.
  const read = (): JsonObject => {
    try {
      const value: unknown = JSON.parse(readFileSync(path, "utf8"))
      return isObject(value) && isObject(value.projects) ? value.projects : {}
    } catch {
      return {}
    }
  }
  return {
    isAllowed(root, file) {
      const project = read()[root]
      const answer = isObject(project) ? project[file] : undefined
      return typeof answer === "boolean" ? answer : undefined
    },
    keep(root, files, isAllowed) {
      const made = makePrivateFolder(state)
      if (!made.ok) return made
      const projects = read()
      const before = isObject(projects[root]) ? projects[root] : {}
      const now = { ...before, ...Object.fromEntries(files.map((file) => [file, isAllowed])) }
      const text = JSON.stringify({ version: 1, projects: { ...projects, [root]: now } }, null, 2)
      return replaceFile(path, `${text}\n`)
    },
  }
}
