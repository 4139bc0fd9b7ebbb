/** What deny rules hide before anything is called: tools from the model, files from searches. */

import { tightens, type PathView } from "./path-rule.ts"
import type { PermissionRule } from "./rule.ts"
import { namesTool, type NamedTool } from "./tool-names.ts"

/** The tools that a rule denies whole: offering them would only waste calls. */
export function hiddenTools(rules: readonly PermissionRule[], tools: readonly NamedTool[]): readonly string[] {
  const whole = rules.filter(({ behavior, matter }) => behavior === "deny" && matter.kind === "everything")
  return tools.filter((tool) => whole.some((rule) => namesTool(rule.tool, tool))).map(({ name }) => name)
}

/** Whether a file may not be read by any rule, so that searches and completion leave it out. */
export function hidesPath(rules: readonly PermissionRule[], view: PathView): (path: string) => boolean {
  const patterns = rules.flatMap(({ behavior, tool, matter, base }) =>
    behavior === "deny" && tool === "Read" && matter.kind === "path" ? [{ pattern: matter.pattern, base }] : [],
  )
  if (patterns.length === 0) return () => false
  return (path) => patterns.some((pattern) => tightens(pattern, path, view))
}
