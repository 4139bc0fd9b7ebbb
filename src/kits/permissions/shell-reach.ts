/** Whether a command could touch what a path rule guards without naming it: then it must not pass silently. */

import type { Segment } from "#ground/workspace/shell/analysis.ts"
import type { JudgedCall } from "./call.ts"
import { programName } from "#ground/workspace/shell/programs/launchers.ts"
import { type BasedPattern, couldHold, tightens, tightensAny } from "./rules/path-rule.ts"
import { resolvedFrom } from "./paths.ts"
import type { PatternStep } from "./rules/path-pattern.ts"
import type { Matter, PermissionRule } from "./rules/rule.ts"

type PathPermissionRule = PermissionRule & { readonly matter: Matter & { kind: "path" } }

/** Programs that list files without showing their content. */
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

export function shellReaches(rule: PathPermissionRule, call: JudgedCall): boolean {
  return call.commands.some(({ analysis, everything, bare }) => {
    const isDark = !analysis.understood || everything.some(({ unbounded }) => unbounded)
    if (isDark && isMentioned(rule, bare())) return true
    return everything.some((segment) => namesIt(rule, segment, call) || looksInto(rule, segment, call))
  })
}

/** An unknown program gets the path as an argument, or git shows its stored content. */
function namesIt({ matter, base }: PathPermissionRule, { verdict, argv, cwd }: Segment, call: JudgedCall): boolean {
  const isGit = programName(argv[0] ?? "") === "git"
  if (verdict !== "other" && !isGit) return false
  return argv.slice(1).some((word) => {
    const ends = isGit ? [word, word.slice(word.indexOf(":") + 1)] : [word.replace(/^(?:-[^=]*=|@|[^/]*:)/, "")]
    return ends.some((path) => path !== "" && tightens({ ...matter, base }, resolvedFrom(cwd ?? call.cwd, path), call))
  })
}

/** A program reads a folder, or a pattern, that could include such a file. */
function looksInto(
  { tool, matter, base }: PathPermissionRule,
  { verdict, argv, reads, cwd }: Segment,
  call: JudgedCall,
): boolean {
  if (tool !== "Read" || verdict === "other") return false
  const isSearch = programName(argv[0] ?? "") === "git" && argv[1] === "grep"
  if (!isSearch && listers.has(programName(argv[0] ?? ""))) return false
  const rule = { ...matter, base }
  const looked = isSearch ? searched(argv, cwd ?? call.cwd) : reads
  return looked.some((path) => couldHold(rule, path, call) && call.isFolder(path) && holds(rule, path, call))
}

/** Where `git grep` looks: in what follows its two dashes, or everywhere. */
function searched(argv: readonly string[], cwd: string): readonly string[] {
  const at = argv.indexOf("--")
  const paths = at === -1 ? [] : argv.slice(at + 1).filter((word) => !/^:|[*?[]/.test(word))
  return paths.length > 0 && paths.length === argv.length - at - 1
    ? paths.map((path) => resolvedFrom(cwd, path))
    : [cwd]
}

/** Whether a folder contains something that a rule guards; yes if it has too much to tell. */
function holds(rule: BasedPattern, folder: string, call: JudgedCall): boolean {
  const inside = call.below(folder)
  if (!inside) return true
  // No link was followed, so the names below the real folder are real.
  const view = { ...call, forms: (path: string) => [path] }
  return call.forms(folder).some((form) =>
    tightensAny(
      rule,
      inside.map((path) => `${form}/${path}`),
      view,
    ),
  )
}

/** Whether the text contains the longest literal piece of what the rule names. */
function isMentioned({ matter }: PathPermissionRule, text: string): boolean {
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
