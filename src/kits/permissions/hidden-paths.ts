/** Files that are closed, or that a rule denies reading: searches and completion leave them out. */

import { onceEach } from "#lib/once-each.ts"
import { closedFinder } from "./closed.ts"
import { type BasedPattern, guardedNames, type PathView, tightens } from "./rules/path-rule.ts"
import { formsWith, type RealPath, type Workspace } from "./paths.ts"
import { type PermissionRule, settleRules } from "./rules/rule.ts"
import { matchesWhole, type Token } from "./rules/wildcard.ts"

export interface HiddenPaths {
  readonly isHidden: (path: string) => boolean
  /** For one search of a folder, which follows no links below it: each folder is judged once. */
  readonly hiddenIn: (folder: string) => (path: string) => boolean
}

export interface HidingView {
  readonly workspace: Workspace
  readonly cwd: string
  readonly realPath: RealPath
}

export function hiddenPaths(rules: readonly PermissionRule[], { workspace, cwd, realPath }: HidingView): HiddenPaths {
  const patterns = settleRules(rules, workspace, realPath).flatMap(({ behavior, tool, matter, base }) =>
    behavior === "deny" && tool === "Read" && matter.kind === "path" ? [{ ...matter, base }] : [],
  )
  const closedIn = closedFinder(workspace, formsWith(realPath))
  const isClosedAnywhere = closedIn("/")
  const viewNow = (): PathView => ({ workspace, cwd, forms: formsWith(realPath) })
  const isDenied = (path: string): boolean => {
    const view = viewNow()
    return patterns.some((pattern) => tightens(pattern, path, view))
  }
  return {
    isHidden: (path) => isClosedAnywhere(path) || isDenied(path),
    hiddenIn(folder) {
      const isClosed = closedIn(folder)
      if (patterns.length === 0) return isClosed
      const view = viewNow()
      const deniedIn = onceEach((around) => deniedNames(patterns, around, view))
      return (path) => {
        if (isClosed(path)) return true
        const slash = path.lastIndexOf("/")
        const denied = path === folder ? "look" : deniedIn(path.slice(0, Math.max(slash, 1)))(path.slice(slash + 1))
        return denied === "look" ? isDenied(path) : denied
      }
    },
  }
}

/** Which names in a folder are denied; `look` for those that do not decide it. */
function deniedNames(
  patterns: readonly BasedPattern[],
  folder: string,
  view: PathView,
): (name: string) => boolean | "look" {
  const denied: (readonly Token[])[] = []
  const odd = new Set<string>()
  for (const pattern of patterns) {
    const guarded = guardedNames(pattern, folder, view)
    if (guarded.names === "any") return () => true
    denied.push(...guarded.names)
    for (const name of guarded.odd) odd.add(name)
  }
  const { ignoresCase } = view.workspace
  return (name) => {
    const folded = ignoresCase ? name.toLowerCase() : name
    return odd.has(folded) ? "look" : denied.some((tokens) => matchesWhole(tokens, folded))
  }
}
