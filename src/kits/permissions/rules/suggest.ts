/** Suggests the narrowest reasonable rule so that a call is not asked about again. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { runsText } from "./any-text.ts"
import { hostOf, type JudgedCall } from "#kits/permissions/call.ts"
import { criticalReason, risksOf } from "#kits/permissions/danger.ts"
import { isOpaque, isLauncher, startOf } from "#ground/workspace/shell/programs/launchers.ts"
import { isFreeToRead, type CommandPart, partsOf } from "#kits/permissions/parts.ts"
import { namesBelow } from "#kits/permissions/paths.ts"
import { parseRules, type PermissionRule } from "./rule.ts"

/** Programs with subcommands; the number is how many words make the prefix. */
const withSubcommands: { readonly [program: string]: number } = {
  brew: 2,
  cargo: 2,
  docker: 2,
  dotnet: 2,
  gh: 3,
  git: 2,
  go: 2,
  gradle: 2,
  helm: 2,
  kubectl: 2,
  make: 2,
  mvn: 2,
  npm: 2,
  pip: 2,
  pnpm: 2,
  poetry: 2,
  terraform: 2,
  uv: 2,
  yarn: 2,
}

/** The rule as written, or undefined if no narrow rule would cover the call. */
export function suggestRule(
  call: JudgedCall,
  rules: readonly PermissionRule[] = [],
  mode: PermissionMode = "default",
): string | undefined {
  const { tool, footprint, commands } = call
  if (commands.length > 0) return forCommands(call, rules, mode)
  const [written] = footprint.writes
  if (written !== undefined) return footprint.writes.length === 1 ? `Edit(${asPattern(written, call)})` : undefined
  const host = footprint.reaches.length === 1 ? hostOf(footprint.reaches[0] ?? "") : undefined
  if (host !== undefined && tool.name === "WebFetch") return `WebFetch(domain:${host})`
  const [read] = footprint.reads
  if (read !== undefined) return footprint.reads.length === 1 ? `Read(${asPattern(read, call)})` : undefined
  const { skill } = call.input
  if (tool.name === "Skill")
    return typeof skill === "string" && /^[\w:.-]+$/.test(skill) ? `Skill(${skill})` : undefined
  return tool.name
}

/** One rule for the one part that needs consent; two parts are two decisions, and get none. */
function forCommands(call: JudgedCall, rules: readonly PermissionRule[], mode: PermissionMode): string | undefined {
  const [rule, ...others] = suggestRules(call, rules, mode)
  return others.length === 0 ? rule : undefined
}

/** Rules that together would have avoided the question, one for each part; empty if one part would still ask. */
export function suggestRules(
  call: JudgedCall,
  rules: readonly PermissionRule[],
  mode: PermissionMode,
): readonly string[] {
  if (risksOf(call).length > 0 || criticalReason(call) !== undefined) return []
  const waiting = (partsOf(call, rules, mode) ?? []).filter(({ standing }) => standing === "consent")
  const suggested = waiting.map((part) => ruleForPart(part, call))
  const found = suggested.filter((rule) => rule !== undefined)
  if (found.length < suggested.length) return []
  const distinct = [...new Set(found)]
  // Rules that would not have avoided this very question are no help.
  const after = partsOf(call, [...rules, ...distinct.flatMap(asRules)], mode)
  return after?.every(({ standing }) => standing !== "consent") ? distinct : []
}

/** The narrowest rule for a part that needs consent; undefined for what cannot be undone. */
function ruleForPart({ segment }: CommandPart, call: JudgedCall): string | undefined {
  return segment.destructive || segment.critical !== undefined ? undefined : forSegment(segment, call)
}

const asRules = (text: string): readonly PermissionRule[] =>
  parseRules([{ behavior: "allow", text, source: "session" }]).rules

/** The rule for each part of a command that needs consent, where one would cover it. */
export function partRules(
  call: JudgedCall,
  parts: readonly CommandPart[],
  rules: readonly PermissionRule[],
  mode: PermissionMode,
): readonly (string | undefined)[] {
  return parts.map((part, i) => {
    const rule = part.standing === "consent" ? ruleForPart(part, call) : undefined
    const isEnough =
      rule !== undefined && partsOf(call, [...rules, ...asRules(rule)], mode)?.[i]?.standing !== "consent"
    return isEnough ? rule : undefined
  })
}

function forSegment(segment: Segment, call: JudgedCall): string | undefined {
  const { argv, inexact, open, verdict, reads } = segment
  const [name = ""] = argv
  const [outside, ...others] = verdict === "read_only" ? reads.filter((path) => !isFreeToRead(path, call)) : []
  if (outside !== undefined) return others.length === 0 ? `Read(${asPattern(outside, call)})` : undefined
  if (runsText(argv)) return undefined
  const length = prefixLength(argv)
  const prefix = argv.slice(0, length)
  const isPrefix =
    length > 0 &&
    prefix.length === length &&
    // A prefix for a program that runs others would allow anything; the exact command is still narrow.
    !(isOpaque(name) || isLauncher(name)) &&
    prefix.every((word, i) => !inexact.includes(i) && (isWord.test(word) || isGoPackage(prefix, i)))
  if (isPrefix) return `Bash(${prefix.join(" ")}:*)`
  const words = argv.map(quoted)
  return inexact.length > 0 || open || argv.length === 0 || words.includes(undefined)
    ? undefined
    : `Bash(${words.join(" ")})`
}

const isWord = /^[A-Za-z][\w:.-]*$/

/** How many words make a prefix that is still narrow; 0 if only the exact command is. */
function prefixLength(argv: readonly string[]): number {
  const [name = "", verb = ""] = argv
  const start = startOf(argv)
  if (start) return startsNarrowly(argv, start) ? start.at + 1 : 0
  // They run a program by that name if they have no such subcommand.
  if (/^(?:bun|pnpm|yarn)$/.test(name) && (isOpaque(verb) || isLauncher(verb))) return 0
  if (/^(?:npm|pnpm|yarn)$/.test(name) && verb === "run") return 3
  if (/^(?:docker|podman)$/.test(name) && /^(?:compose|container)$/.test(verb)) return 3
  return withSubcommands[name] ?? 0
}

/** Whether what a launcher starts is named and takes no program of its own: `uv run pytest`, `go run ./cmd/x`. */
function startsNarrowly(argv: readonly string[], { at, how }: NonNullable<ReturnType<typeof startOf>>): boolean {
  const program = argv[at] ?? ""
  if (isGoPackage(argv, at)) return true
  return how === "words" && isWord.test(program) && !/[.:]/.test(program) && isPlainProgram(argv.slice(at))
}

/** Neither a launcher nor an interpreter, and none that works on any file or host it is given. */
const isPlainProgram = (words: readonly string[]): boolean =>
  !(isOpaque(words[0] ?? "") || isLauncher(words[0] ?? "") || startOf(words) || broad.has(words[0] ?? ""))

const broad: ReadonlySet<string> = new Set(
  "cp curl dd docker find git install kubectl ln make mv npm pip rm rsync scp sed ssh tar tee wget".split(" "),
)

const isGoPackage = ([name, verb, at = ""]: readonly string[], i: number): boolean =>
  i === 2 && name === "go" && verb === "run" && /^\.\/[\w/-]+$/.test(at)

/** A word as a rule spells it; undefined if a rule cannot. */
function quoted(word: string): string | undefined {
  if (/^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$/.test(word)) return word
  return /^[\p{L}\p{N}\p{P}\p{S}\p{M} ]*$/u.test(word) && !/['*]/.test(word) ? `'${word}'` : undefined
}

function asPattern(path: string, { workspace }: JudgedCall): string {
  const escaped = (names: readonly string[]): string => names.join("/").replace(/[*?[\]\\]/g, "\\$&")
  const inside = namesBelow(workspace.root, path)
  if (inside && inside.length > 0) return `./${escaped(inside)}`
  return `//${escaped(path.split("/").filter((name) => name !== ""))}`
}
