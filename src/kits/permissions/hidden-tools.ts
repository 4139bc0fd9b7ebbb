/** Tools that deny rules hide from the model up front. */

import type { PermissionRule } from "./rules/rule.ts"
import { namesTool, type NamedTool } from "./rules/tool-names.ts"
import { matchesWhole } from "./rules/wildcard.ts"

/** Tools that a rule denies entirely: offering them would only waste calls. */
export function hiddenTools(rules: readonly PermissionRule[], tools: readonly NamedTool[]): readonly string[] {
  const whole = rules.filter(({ behavior, matter }) => behavior === "deny" && matter.kind === "everything")
  if (whole.length === 0) return []
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
