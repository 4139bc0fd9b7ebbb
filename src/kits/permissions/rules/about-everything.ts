/** Rules that name no program, folder, site or value. Whoever answers one action hardly means all of them. */

import { parseRules, type PermissionRule } from "./rule.ts"

/** Why such a rule is not saved with an answer, as a sentence; undefined if it names something. */
export function aboutEverything(text: string): string | undefined {
  const [rule] = parseRules([{ behavior: "allow", text, source: "session" }]).rules
  return rule && namesNothing(rule)
    ? `${text} would allow nearly everything that ${rule.tool} can do. Name more of what it may do.`
    : undefined
}

function namesNothing({ matter }: PermissionRule): boolean {
  switch (matter.kind) {
    case "everything":
      return true
    case "command":
      return (matter.pattern.words[0] ?? "*").includes("*")
    case "path": {
      const { anchor, up, steps } = matter.pattern
      const [first] = steps
      const isElsewhere = anchor === "root" || anchor === "home" || up > 0
      return isElsewhere && !(first?.kind === "name" && first.plain !== undefined)
    }
    case "host":
      return matter.below && !matter.host.includes(".")
    case "field":
      return matter.values.some((value) => value.every(({ kind }) => kind === "many"))
  }
}
