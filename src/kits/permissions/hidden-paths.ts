/** Files that are closed, or that a rule denies reading: searches and completion leave them out. */

import { closedFinder } from "./closed.ts"
import { tightens } from "./path-rule.ts"
import { formsWith, type RealPath, type Workspace } from "./paths.ts"
import { type PermissionRule, settleRules } from "./rule.ts"

/** Judges paths in a folder, as a search of it finds them; in `/`, any path. */
export type HiddenIn = (folder: string) => (path: string) => boolean

export interface HidingView {
  readonly workspace: Workspace
  readonly cwd: string
  readonly realPath: RealPath
}

export function hiddenPaths(rules: readonly PermissionRule[], { workspace, cwd, realPath }: HidingView): HiddenIn {
  const patterns = settleRules(rules, workspace, realPath).flatMap(({ behavior, tool, matter, base }) =>
    behavior === "deny" && tool === "Read" && matter.kind === "path" ? [{ ...matter, base }] : [],
  )
  const closedIn = closedFinder(workspace, formsWith(realPath))
  if (patterns.length === 0) return closedIn
  return (folder) => {
    const isClosed = closedIn(folder)
    return (path) => {
      const forms = formsWith(realPath)
      return isClosed(path) || patterns.some((pattern) => tightens(pattern, path, { workspace, cwd, forms }))
    }
  }
}
