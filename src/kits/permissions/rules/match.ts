/** Whether rules cover a call: deny and ask rules if one part of it matches, allow rules if every part does. */

import { type Boundary, byUser } from "#agent/words/boundary.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { lineBoundary, userBoundary } from "#kits/permissions/boundary.ts"
import { hostOf, type JudgedCall } from "#kits/permissions/call.ts"
import { type CommandMatch, guardsCommand } from "./command-pattern.ts"
import { isFreeToRead, type CommandPart, partsOf } from "#kits/permissions/parts.ts"
import { loosens, tightens } from "./path-rule.ts"
import { shellReaches } from "#kits/permissions/shell-reach.ts"
import type { Matter, PermissionRule } from "./rule.ts"
import { namesItself, namesServer, namesTool } from "./tool-names.ts"
import { matchesWhole } from "./wildcard.ts"

/** For deny and ask rules. `maybe` means that it cannot be decided, which must never pass silently. */
export function guards(rule: PermissionRule, call: JudgedCall): CommandMatch {
  const { matter } = rule
  const { footprint } = call
  switch (matter.kind) {
    case "everything":
      return found(namesTool(rule.tool, call.tool) || namesServer(rule.tool, call))
    case "command":
      // A tool that the rule is about, and that does not say what it runs, may run just that.
      if (call.commands.length === 0 && namesTool(rule.tool, call.tool)) return "maybe"
      return strongest(call.commands.map((command) => guardsCommand(matter.pattern, command)))
    case "path":
      if (guardedPaths(rule, call).some((path) => tightens({ ...matter, base: rule.base }, path, call))) return "match"
      return call.commands.length > 0 && shellReaches({ ...rule, matter }, call) ? "maybe" : "no"
    case "host": {
      if (!namesTool(rule.tool, call.tool) && footprint.reaches.length === 0) return "no"
      const hosts = footprint.reaches.map(hostOf)
      if (hosts.some((host) => host !== undefined && isHost(matter, host))) return "match"
      return hosts.includes(undefined) ? "maybe" : "no"
    }
    case "field":
      return found(namesItself(rule.tool, call.tool) && hasField(matter, call))
  }
}

export interface Covering {
  readonly rules: readonly PermissionRule[]
  readonly boundary: Boundary
}

/** The allow rules that together cover the whole call; undefined if some part of it is not covered. */
export function covering(
  rules: readonly PermissionRule[],
  call: JudgedCall,
  mode: PermissionMode,
): Covering | undefined {
  const mine = rules.filter((rule) => rule.behavior === "allow" && namesTool(rule.tool, call.tool))
  const whole = mine.find(
    ({ matter }) => matter.kind === "everything" || (matter.kind === "field" && hasField(matter, call)),
  )
  if (whole) return { rules: [whole], boundary: userBoundary(call, mode) }
  if (call.commands.length > 0) return coveringParts(call, partsOf(call, rules, mode), mode)
  if (mine.length === 0) return undefined
  const used: PermissionRule[] = []
  const each = <Piece>(pieces: readonly Piece[], covers: (rule: PermissionRule, piece: Piece) => boolean): boolean =>
    pieces.every((piece) => {
      const rule = mine.find((candidate) => covers(candidate, piece))
      if (rule) used.push(rule)
      return rule !== undefined
    })
  const { reads, writes, reaches } = call.footprint
  const read = reads.filter((path) => !writes.includes(path) && !isFreeToRead(path, call))
  const covered =
    each(writes, (rule, path) => allowsPath(rule, path, call, "write")) &&
    each(read, (rule, path) => allowsPath(rule, path, call, "read")) &&
    each(reaches, ({ matter }, address) => matter.kind === "host" && isHost(matter, hostOf(address) ?? ""))
  return covered && used.length > 0 ? { rules: [...new Set(used)], boundary: byUser } : undefined
}

/** A command is covered if each of its parts is, and at least one of them by a rule. */
function coveringParts(
  call: JudgedCall,
  parts: readonly CommandPart[] | undefined,
  mode: PermissionMode,
): Covering | undefined {
  if (!parts || parts.some(({ standing }) => standing === "consent")) return undefined
  const used = parts.flatMap(({ rules }) => rules)
  return used.length > 0 ? { rules: [...new Set(used)], boundary: lineBoundary(call, parts, mode) } : undefined
}

/** Which paths of a call a path rule looks at. What may not be read may not be changed either. */
function guardedPaths({ tool }: PermissionRule, call: JudgedCall): readonly string[] {
  const { reads, writes } = call
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
