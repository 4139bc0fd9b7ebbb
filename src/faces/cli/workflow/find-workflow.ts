/** The workflows of a repository: scripts in `.codewright/workflows`. */

import { existsSync, readdirSync } from "node:fs"
import { basename, extname, join, resolve } from "node:path"
import { nearNames } from "#lib/near.ts"
import { findRepository } from "#ground/workspace/git/git.ts"

export interface WorkflowFile {
  readonly name: string
  readonly file: string
}

const endings = [".ts", ".js", ".mjs"]

/** Those of the folder, and of the top of its repository. */
export function workflowsIn(cwd: string): readonly WorkflowFile[] {
  const roots = [...new Set([cwd, findRepository(cwd)?.root ?? cwd])]
  const all = roots.flatMap((root) => {
    const folder = join(root, ".codewright", "workflows")
    return namesIn(folder).map((file) => ({ name: basename(file, extname(file)), file: join(folder, file) }))
  })
  return [...new Map(all.toReversed().map((one) => [one.name, one])).values()].toSorted((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}

/** By its name, or by the path of a script. */
export function workflowNamed(words: string, cwd: string): WorkflowFile | undefined {
  const named = workflowsIn(cwd).find(({ name }) => name === words)
  const file = resolve(cwd, words)
  const isScript = endings.includes(extname(file)) && existsSync(file)
  return named ?? (isScript ? { name: basename(file, extname(file)), file } : undefined)
}

export function unknownWorkflow(name: string, cwd: string): string {
  const names = workflowsIn(cwd).map((one) => one.name)
  const [near] = nearNames(name, names, 1)
  return `No workflow named ${name}. ${near === undefined ? "codewright workflow list shows all; a path of a script works, too." : `Did you mean ${near}?`}`
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => endings.includes(extname(name)))
  } catch {
    return []
  }
}
