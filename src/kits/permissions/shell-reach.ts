/** Whether a command could touch what a path rule guards without saying so: then nobody lets it pass in silence. */

import type { Segment } from "#ground/workspace/shell/analysis.ts"
import type { JudgedCall } from "./call.ts"
import { programName } from "./launchers.ts"
import { couldHold, tightens } from "./path-rule.ts"
import { resolvedFrom } from "./paths.ts"
import type { PatternStep } from "./path-pattern.ts"
import type { Matter, PermissionRule } from "./rule.ts"

type PathRule = PermissionRule & { readonly matter: Matter & { kind: "path" } }

/** Programs that tell of files without showing what is in them. */
const listers: ReadonlySet<string> = new Set([
  "[",
  "basename",
  "cd",
  "dirname",
  "du",
  "echo",
  "find",
  "git",
  "ls",
  "pwd",
  "realpath",
  "stat",
  "test",
  "tree",
])

export function shellReaches(rule: PathRule, call: JudgedCall): boolean {
  return call.commands.some(({ analysis, everything, bare }) => {
    const isDark = !analysis.understood || everything.some(({ unbounded }) => unbounded)
    if (isDark && isMentioned(rule, bare())) return true
    return everything.some((segment) => namesIt(rule, segment, call) || looksInto(rule, segment, call))
  })
}

/** A program that is on no list is given the path as a word. */
function namesIt({ matter, base }: PathRule, { verdict, argv, cwd }: Segment, call: JudgedCall): boolean {
  if (verdict !== "other") return false
  return argv.slice(1).some((word) => {
    const path = word.replace(/^(?:-[^=]*=|@|[^/]*:)/, "")
    return path !== "" && tightens({ ...matter, base }, resolvedFrom(cwd ?? call.cwd, path), call)
  })
}

/** A program reads a folder, or by a pattern, in which such a file could lie. */
function looksInto({ tool, matter, base }: PathRule, { verdict, argv, reads }: Segment, call: JudgedCall): boolean {
  if (tool !== "Read" || verdict === "other" || listers.has(programName(argv[0] ?? ""))) return false
  return reads.some((path) => couldHold({ ...matter, base }, path, call) && call.isFolder(path))
}

/** Whether the text holds the longest plain piece of what the rule names. */
function isMentioned({ matter }: PathRule, text: string): boolean {
  const pieces = matter.pattern.steps.flatMap(plainPieces)
  const longest = pieces.toSorted((a, b) => b.length - a.length)[0]
  return longest === undefined || text.toLowerCase().includes(longest.toLowerCase())
}

function plainPieces(step: PatternStep): readonly string[] {
  if (step.kind === "folders") return []
  return step.tokens
    .map((token) => (token.kind === "char" ? token.char : "\0"))
    .join("")
    .split("\0")
    .filter((piece) => piece !== "")
}
