/** What deny rules hide up front: tools from the model, files from searches. */

import { closedFinder } from "./closed.ts"
import { tightens } from "./path-rule.ts"
import { formsWith, type RealPath, type Workspace } from "./paths.ts"
import { type PermissionRule, settleRules } from "./rule.ts"
import { namesTool, type NamedTool } from "./tool-names.ts"
import { matchesWhole } from "./wildcard.ts"

/** Tools that a rule denies entirely: offering them would only waste calls. */
export function hiddenTools(rules: readonly PermissionRule[], tools: readonly NamedTool[]): readonly string[] {
  const whole = rules.filter(({ behavior, matter }) => behavior === "deny" && matter.kind === "everything")
  return tools.filter((tool) => whole.some((rule) => namesTool(rule.tool, tool))).map(({ name }) => name)
}

/** Whether a deny or ask rule is about this one value of a tool, as in `Skill(deploy)`. */
export const isGuarded = (rules: readonly PermissionRule[], tool: NamedTool, value: string): boolean =>
  rules.some(
    ({ behavior, tool: named, matter }) =>
      behavior !== "allow" &&
      namesTool(named, tool) &&
      (matter.kind === "everything" ||
        (matter.kind === "field" && matter.values.some((tokens) => matchesWhole(tokens, value)))),
  )

/** Whether a file is closed or a rule denies reading it, so that searches and completion leave it out. */
export function hidesPath(
  rules: readonly PermissionRule[],
  { workspace, cwd, realPath }: { readonly workspace: Workspace; readonly cwd: string; readonly realPath: RealPath },
): (path: string) => boolean {
  const patterns = settleRules(rules, workspace, realPath).flatMap(({ behavior, tool, matter, base }) =>
    behavior === "deny" && tool === "Read" && matter.kind === "path" ? [{ ...matter, base }] : [],
  )
  const isClosed = closedFinder(workspace, formsWith(realPath))
  if (patterns.length === 0) return isClosed
  return (path) => {
    const forms = formsWith(realPath)
    return isClosed(path) || patterns.some((pattern) => tightens(pattern, path, { workspace, cwd, forms }))
  }
}
