/** Whether rules speak about a call: deny and ask rules when one part of it matches, allow rules when every part does. */

import { type CommandMatch, allowsCommand, guardsCommand } from "./command-pattern.ts"
import { hostOf, type JudgedCall } from "./call.ts"
import { loosens, tightens } from "./path-rule.ts"
import { isInside } from "./paths.ts"
import type { Matter, PermissionRule } from "./rule.ts"
import { namesTool } from "./tool-names.ts"
import { matchesWhole } from "./wildcard.ts"

/** For deny and ask rules. `maybe` means that nobody can tell, which must never pass in silence. */
export function guards(rule: PermissionRule, call: JudgedCall): CommandMatch {
  const { matter } = rule
  const { footprint } = call
  switch (matter.kind) {
    case "everything":
      return found(namesTool(rule.tool, call.tool))
    case "command":
      return strongest(call.commands.map((command) => guardsCommand(matter.pattern, command)))
    case "path":
      return found(guardedPaths(rule, call).some((path) => tightens({ ...matter, base: rule.base }, path, call)))
    case "host": {
      if (!namesTool(rule.tool, call.tool) && footprint.reaches.length === 0) return "no"
      const hosts = footprint.reaches.map(hostOf)
      if (hosts.some((host) => host !== undefined && isHost(matter, host))) return "match"
      return hosts.includes(undefined) ? "maybe" : "no"
    }
    case "field":
      return found(namesTool(rule.tool, call.tool) && hasField(matter, call))
  }
}

/** The allow rules that together cover the whole call; undefined when some part of it is not covered. */
export function covering(rules: readonly PermissionRule[], call: JudgedCall): readonly PermissionRule[] | undefined {
  const mine = rules.filter((rule) => rule.behavior === "allow" && namesTool(rule.tool, call.tool))
  if (mine.length === 0) return undefined
  const whole = mine.find(
    ({ matter }) => matter.kind === "everything" || (matter.kind === "field" && hasField(matter, call)),
  )
  if (whole) return [whole]
  const used: PermissionRule[] = []
  const each = <Part>(parts: readonly Part[], covers: (rule: PermissionRule, part: Part) => boolean): boolean =>
    parts.every((part) => {
      const rule = mine.find((candidate) => covers(candidate, part))
      if (rule) used.push(rule)
      return rule !== undefined
    })
  const { reads, writes, reaches } = call.footprint
  const read = reads.filter((path) => !writes.includes(path) && !isFreeToRead(path, call))
  const covered =
    each(call.commands, ({ matter }, command) => matter.kind === "command" && allowsCommand(matter.pattern, command)) &&
    each(writes, (rule, path) => allowsPath(rule, path, call, "write")) &&
    each(read, (rule, path) => allowsPath(rule, path, call, "read")) &&
    each(reaches, ({ matter }, address) => matter.kind === "host" && isHost(matter, hostOf(address) ?? ""))
  return covered && used.length > 0 ? [...new Set(used)] : undefined
}

/** Whether a path may be read without a question: it lies in the workspace, or the session itself wrote it. */
export function isFreeToRead(path: string, { workspace, forms }: JudgedCall): boolean {
  return isInside(path, [workspace.root, ...workspace.added, ...workspace.own], forms)
}

/** Which paths of a call a path rule looks at. What may not be read may not be changed either. */
function guardedPaths({ tool }: PermissionRule, call: JudgedCall): readonly string[] {
  const { reads, writes } = call.footprint
  if (tool === "Edit") return writes
  if (tool === "Read") return [...reads, ...writes]
  return namesTool(tool, call.tool) ? [...reads, ...writes] : []
}

function allowsPath(rule: PermissionRule, path: string, call: JudgedCall, access: "read" | "write"): boolean {
  return rule.matter.kind === "path" && loosens({ ...rule.matter, base: rule.base }, path, call, access)
}

function isHost({ host, below }: Matter & { kind: "host" }, actual: string): boolean {
  return below ? actual.endsWith(`.${host}`) : actual === host
}

function hasField({ fields, values }: Matter & { kind: "field" }, { input }: JudgedCall): boolean {
  return fields.some((field) => {
    const value = input[field]
    if (value === undefined || value === null || typeof value === "object") return false
    return values.some((tokens) => matchesWhole(tokens, String(value)))
  })
}

const found = (matches: boolean): CommandMatch => (matches ? "match" : "no")

function strongest(matches: readonly CommandMatch[]): CommandMatch {
  if (matches.includes("match")) return "match"
  return matches.includes("maybe") ? "maybe" : "no"
}
