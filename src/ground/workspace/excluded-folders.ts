/** The folders that `undo.exclude` names: where they are, and what of it cannot be followed. */

import { basename, dirname, join, resolve } from "node:path"
import { liesIn } from "#lib/lies-in.ts"
import { realPath } from "./paths.ts"

export interface ExcludedFolder {
  /** As the settings name it. */
  readonly name: string
  /** The real path of its name, which may be a link, or of the folder itself. */
  readonly path: string
}

export interface ExcludedFolders {
  readonly folders: readonly ExcludedFolder[]
  readonly warnings: readonly string[]
}

export function excludedFolders(
  names: readonly string[],
  { cwd, home }: { readonly cwd: string; readonly home: string },
): ExcludedFolders {
  const folders: ExcludedFolder[] = []
  const warnings: string[] = []
  const project = realPath(cwd)
  for (const name of new Set(names)) {
    const path = /^~(?:$|\/)/.test(name) ? resolve(home, `.${name.slice(1)}`) : resolve(cwd, name)
    if (name === "") continue
    if (/[*?]/.test(name)) warnings.push(`undo.exclude takes folders, not patterns: "${name}" is ignored.`)
    else if (liesIn(project, realPath(path)))
      warnings.push(`undo.exclude cannot name the whole project: "${name}" is ignored.`)
    else
      for (const real of new Set([join(realPath(dirname(path)), basename(path)), realPath(path)]))
        folders.push({ name, path: real })
  }
  return { folders, warnings }
}
