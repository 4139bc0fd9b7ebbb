/** Whether a call stays within the limits of its tool. */

import { hostOf, type JudgedCall } from "./call.ts"
import { allowsSegment } from "./rules/command-pattern.ts"
import { covering } from "./rules/match.ts"
import { loosens } from "./rules/path-rule.ts"
import type { PermissionRule } from "./rules/rule.ts"
import { namesTool } from "./rules/tool-names.ts"

/** The broken limits; undefined if the call stays within them, or if none is about its tool. */
export function brokenLimits(
  limits: readonly PermissionRule[],
  call: JudgedCall,
): readonly PermissionRule[] | undefined {
  const mine = limits.filter((rule) => namesTool(rule.tool, call.tool))
  if (mine.length === 0 || mine.some(({ matter }) => matter.kind === "everything")) return undefined
  return keepsTo(mine, call) ? undefined : mine
}

function keepsTo(limits: readonly PermissionRule[], call: JudgedCall): boolean {
  const { commands, footprint } = call
  if (commands.length > 0)
    return commands.every(
      ({ analysis }) =>
        analysis.understood &&
        analysis.segments.every(
          (segment) =>
            segment.argv[0] === "cd" ||
            limits.some(({ matter }) => matter.kind === "command" && allowsSegment(matter.pattern, segment)),
        ),
    )
  const { reads, writes, reaches } = footprint
  const paths = [
    ...writes.map((path) => ({ path, access: "write" as const })),
    ...reads.filter((path) => !writes.includes(path)).map((path) => ({ path, access: "read" as const })),
  ]
  if (paths.length + reaches.length === 0) return covering(limits, call, "default") !== undefined
  return (
    paths.every(({ path, access }) =>
      limits.some(({ matter, base }) => matter.kind === "path" && loosens({ ...matter, base }, path, call, access)),
    ) &&
    reaches.every((address) =>
      limits.some(({ matter }) => {
        const host = hostOf(address) ?? ""
        return matter.kind === "host" && (matter.below ? host.endsWith(`.${matter.host}`) : host === matter.host)
      }),
    )
  )
}
