/** The status of each simple command of a call: free, covered by the mode or by rules, or in need of consent. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { Segment } from "#ground/workspace/shell/analysis.ts"
import type { JudgedCall } from "./call.ts"
import { allowsSegment } from "./rules/command-pattern.ts"
import { isCoreReader, isPlainCommand } from "#ground/workspace/shell/programs/core-readers.ts"
import { outgrowsRule } from "./rules/flag-guard.ts"
import { loosens } from "./rules/path-rule.ts"
import { isInside, resolvedFrom } from "./paths.ts"
import type { PermissionRule } from "./rules/rule.ts"
import { hasStrayWord } from "./stray-words.ts"
import { namesTool } from "./rules/tool-names.ts"

export interface CommandPart {
  readonly segment: Segment
  readonly standing: "free" | "mode" | "rule" | "consent"
  readonly rules: readonly PermissionRule[]
  /** Who lets the command run: a rule that names it, or our judgement of what it touches; undefined if nobody does yet. */
  readonly by: "rule" | "judgement" | undefined
}

/** Each part of every parsed command; undefined if one cannot be parsed. */
export function partsOf(
  call: JudgedCall,
  rules: readonly PermissionRule[],
  mode: PermissionMode,
): readonly CommandPart[] | undefined {
  const segments: Segment[] = []
  for (const { analysis } of call.commands) {
    if (!analysis.understood) return undefined
    segments.push(...analysis.segments)
  }
  const allowing = rules.filter(({ behavior }) => behavior === "allow")
  // A part that may move a link, or create a flag, invalidates what was found out about the paths of the others.
  const isShifting =
    segments.some((segment) => segment.relinks || makesFlag(segment)) && segments.filter(hasPaths).length > 1
  const isChanging = segments.some(({ writes }) => writes.length > 0)
  const parts = segments.map((segment) => partOf(segment, { call, allowing, mode, isShifting, isChanging }))
  return parts.map((part) => (losesItsBoundary(part, parts) ? { ...part, ...unsettled } : part))
}

const unsettled = { standing: "consent", rules: [], by: undefined } as const

/**
 * Beside a part that a rule names, a line runs as the user's settings say. A part that we judged by what it would be
 * confined to must then be confined by itself, which needs a place of its own in the line.
 */
function losesItsBoundary({ by, segment }: CommandPart, all: readonly CommandPart[]): boolean {
  if (by !== "judgement" || !needsConfinement(segment)) return false
  const named = all.filter((part) => part.by === "rule")
  return named.length > 0 && (segment.at === undefined || named.some((part) => part.segment.at === segment.at))
}

/** Whether a judged part relies on more than its words: on git's programs being off, on its surroundings, on a wall. */
export const needsConfinement = (segment: Segment): boolean => segment.relies || !isPlainCommand(segment)

/** Whether it creates a file whose name a pattern of another part could take for a flag. */
const makesFlag = ({ writes }: Segment): boolean => writes.some((path) => /\/-[^/]*$/.test(path))

const hasPaths = ({ reads, writes }: Segment): boolean => reads.length + writes.length > 0

interface PartContext {
  readonly call: JudgedCall
  readonly allowing: readonly PermissionRule[]
  readonly mode: PermissionMode
  readonly isShifting: boolean
  /** Another part creates files, so the files found before may not be all. */
  readonly isChanging: boolean
}

function partOf(segment: Segment, circumstances: PartContext): CommandPart {
  const { call, allowing, isShifting, isChanging } = circumstances
  const consent: CommandPart = { segment, ...unsettled }
  if (isShifting && hasPaths(segment)) return consent
  const paths = pathsCovered(segment.reads, segment.writes, circumstances)
  const onPathsAlone =
    !segment.unbounded &&
    ((segment.verdict === "read_only" && call.readsUnasked(segment)) ||
      // A reader whose output goes into a file needs for that what it needs without.
      (segment.verdict === "touches_files" &&
        segment.harmless &&
        (isPlainCommand(segment) || call.readsUnasked(segment))))
  const isOnPaths = onPathsAlone && paths && !(isChanging && segment.relies)
  // Rules leave a basic reader confined. Other readers may need more, and a rule grants it.
  if (isOnPaths && (paths.standing !== "free" || segment.verdict !== "read_only" || isCoreReader(segment)))
    return { segment, ...paths, by: "judgement" }
  const isCovered = (path: string): boolean =>
    isFreeToRead(path, call) || allowing.some((each) => allowsPath(each, path, call, "read"))
  const rule = runsInside(segment, call)
    ? allowing.find((each) => coversSegment(each, segment, call, isCovered))
    : undefined
  if (!rule && isOnPaths) return { segment, ...paths, by: "judgement" }
  if (!rule || segment.unbounded) return consent
  // Operands in the workspace belong to the command that the rule names, and so does everything it names exactly; paths outside and redirections are another matter.
  const isExact = rule.matter.kind === "command" && rule.matter.pattern.kind === "exact"
  const belongs = (path: string): boolean => (isExact || isFreeToRead(path, call)) && isOperand(path, segment, call)
  const strays = (all: readonly string[]): readonly string[] => all.filter((path) => !belongs(path))
  const streams = pathsCovered(strays(segment.reads), strays(segment.writes), circumstances)
  return streams ? { segment, standing: "rule", rules: [rule, ...streams.rules], by: "rule" } : consent
}

/** A rule was given for the workspace: elsewhere the same words may run something else. */
function runsInside({ folders }: Segment, { workspace, forms }: JudgedCall): boolean {
  const inside = [workspace.root, ...workspace.added]
  return folders?.every((folder) => isInside(folder, inside, forms)) ?? false
}

function coversSegment(
  { tool, matter }: PermissionRule,
  segment: Segment,
  call: JudgedCall,
  isCovered: (path: string) => boolean,
): boolean {
  if (matter.kind !== "command" || !namesTool(tool, call.tool) || !allowsSegment(matter.pattern, segment)) return false
  if (matter.pattern.kind === "exact") return true
  const wild = matter.pattern.words.findIndex((word) => word.includes("*"))
  const named = wild === -1 ? matter.pattern.words.length : wild
  const isFree = (path: string): boolean => isFreeToRead(path, call)
  const rule = { words: matter.pattern.words, from: named }
  return !outgrowsRule(segment, rule, isFree) && !hasStrayWord(segment, named, call, isCovered)
}

/** Why these paths need no question; undefined if they do. */
function pathsCovered(
  reads: readonly string[],
  writes: readonly string[],
  { call, allowing, mode }: PartContext,
): Omit<CommandPart, "segment" | "by"> | undefined {
  const { workspace, forms } = call
  const inside = [workspace.root, ...workspace.added]
  const used: PermissionRule[] = []
  let byMode = false
  const byRule = (path: string, access: "read" | "write"): boolean => {
    const rule = allowing.find((each) => allowsPath(each, path, call, access))
    if (rule) used.push(rule)
    return rule !== undefined
  }
  for (const path of writes) {
    if (isInside(path, workspace.own, forms)) continue
    if (mode === "acceptEdits" && isInside(path, inside, forms)) byMode = true
    else if (!byRule(path, "write")) return undefined
  }
  for (const path of reads) if (!isFreeToRead(path, call) && !byRule(path, "read")) return undefined
  return { standing: used.length > 0 ? "rule" : byMode ? "mode" : "free", rules: used }
}

/** Whether a path may be read without asking: in the workspace, written by the session itself, or the same for everybody. */
export function isFreeToRead(path: string, { workspace, forms }: JudgedCall): boolean {
  return isInside(path, [workspace.root, ...workspace.added, ...workspace.own, ...publicFacts], forms)
}

/** What machine this is, and the headers and libraries of its system: the same for every user, and nobody's secret. */
const publicFacts: readonly string[] = [
  "/etc/alpine-release",
  "/etc/debian_version",
  "/etc/lsb-release",
  "/etc/os-release",
  "/etc/redhat-release",
  "/etc/system-release",
  "/etc/timezone",
  "/lib",
  "/lib64",
  "/proc/cpuinfo",
  "/proc/filesystems",
  "/proc/loadavg",
  "/proc/meminfo",
  "/proc/uptime",
  "/proc/version",
  "/usr/include",
  "/usr/lib",
  "/usr/lib64",
]

/** Whether an allow rule for reading or editing covers a path. A bare rule covers everything its tool may touch. */
function allowsPath(rule: PermissionRule, path: string, call: JudgedCall, access: "read" | "write"): boolean {
  if (rule.tool !== (access === "read" ? "Read" : "Edit")) return false
  if (rule.matter.kind === "everything") return true
  return rule.matter.kind === "path" && loosens({ ...rule.matter, base: rule.base }, path, call, access)
}

/** Whether a path is named by the command's words, or is within one; otherwise it comes from a redirection. */
function isOperand(path: string, { argv, cwd }: Segment, call: JudgedCall): boolean {
  return argv.slice(1).some((word) => {
    const value = word.replace(/^-[^=]*=/, "")
    return isInside(path, [resolvedFrom(cwd ?? call.cwd, value)], call.forms)
  })
}
