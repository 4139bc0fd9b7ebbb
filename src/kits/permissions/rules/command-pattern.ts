/** Rules about shell commands: exact, prefix and wildcard, matched by word. */

import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { isOpaque, isLauncher, programName, runsAnother } from "#ground/workspace/shell/programs/launchers.ts"
import { readsItsProgram } from "./any-text.ts"
import { guardedWords } from "./guarded-words.ts"
import type { ReadCommand } from "#kits/permissions/read-command.ts"
import { ruleWords } from "./rule-words.ts"
import { type Likelihood, startsGuarded } from "#kits/permissions/started-commands.ts"
import { matchesWhole, starred, type Token } from "./wildcard.ts"

export interface CommandPattern {
  readonly text: string
  readonly kind: "exact" | "wild"
  /** The words that the pattern names; a `*` in a word matches any characters. */
  readonly words: readonly string[]
  readonly open: boolean
  /** Whether the pattern itself could be a plain command; otherwise it never allows anything. */
  readonly plain: boolean
  readonly tokens: readonly Token[]
  /** What an unparsed command must contain to match; undefined if the pattern names no program. */
  readonly needle: RegExp | undefined
  /** `curl:* | sh` is about a line of several commands: these, in this order, with optional others between them. */
  readonly line?: readonly CommandPattern[]
}

export type CommandMatch = Likelihood

/** Not in any plain word, so that a word with a space in it is never taken for two. */
const separator = "\u0001"

export function parseCommandPattern(content: string): Result<CommandPattern, string> {
  const text = content.trim()
  const open = /(?::|\s)\*$/.test(text)
  // Before the end, `:*` can only be meant as the wildcard that it looks like.
  const named = (open ? text.slice(0, -2).trimEnd() : text).replaceAll(":*", "*")
  if (named === "") return failed("it names no command; write Bash to mean every command")
  const plain = ruleWords(named)
  const words = plain ?? named.split(/\s+/)
  const line = plain === undefined ? lineOf(text) : undefined
  const program = (words[0] ?? "").split("*").find((part) => part !== "")
  return ok({
    text,
    kind: open || named.includes("*") ? "wild" : "exact",
    words,
    open,
    plain: plain !== undefined,
    tokens: starred(words.join(separator)),
    needle: program === undefined ? undefined : new RegExp(`(?<!\\w)${RegExp.escape(program)}(?!\\w)`, "i"),
    ...optional("line", line),
  })
}

/** The commands of a line with several, each with whatever may follow; undefined for a single one, or if it is not a line. */
function lineOf(text: string): readonly CommandPattern[] | undefined {
  if (/["'`\\$()<>]/.test(text)) return undefined
  const parts = text.split(/\|\|?|&&?|;|\n/).filter((part) => part.trim() !== "")
  if (parts.length < 2) return undefined
  const read = parts.map((part) => parseCommandPattern(part))
  return read.every((part) => part.ok)
    ? read.flatMap((part) => (part.ok ? [{ ...part.value, open: true }] : []))
    : undefined
}

/** For allow rules: the words that the rule names must be known, and a prefix never covers what a launcher would start. */
export function allowsSegment(pattern: CommandPattern, segment: Segment): boolean {
  const { argv, text, assignments, behind } = segment
  if (!pattern.plain || argv.length === 0 || assignments.some(({ harmless }) => !harmless)) return false
  // Its words say nothing about its input.
  if (readsItsProgram(argv, pattern.kind)) return false
  if (pattern.kind === "exact") {
    if (segment.inexact.length > 0 || segment.open) return false
    return sameWords(pattern.words, argv) || (assignments.length === 0 && text.trim() === pattern.text)
  }
  if (!namesInner(pattern, argv) && (behind.length > 0 || mayRunAnother(segment))) return false
  return knowsTheWords(pattern, segment) && matchesWords(pattern, argv)
}

/** Also by the names that patterns find, and by whatever is printed into its words. */
function mayRunAnother(segment: Segment): boolean {
  const { argv, expansions } = segment
  const name = programName(argv[0] ?? "")
  if (expansions.length === 0 || !(name === "find" || isOpaque(name))) return runsAnother(argv)
  const { flags } = guardedWords(name, segment)
  return flags.some(({ kind }) => kind === "anything") || runsAnother(flags.map(({ text }) => text))
}

/** `npx tsc` names what npx would start; a rule for npx alone would be one for any program. */
function namesInner({ words }: CommandPattern, argv: readonly string[]): boolean {
  const [runner, inner = ""] = words
  return runner === "npx" && /^@?\w[\w./-]*$/.test(inner) && inner === argv[1] && !isOpaque(inner) && !isLauncher(inner)
}

/** A prefix covers whatever follows it; any other pattern needs every word. */
function knowsTheWords({ words, open }: CommandPattern, { inexact, open: more }: Segment): boolean {
  const isPrefix = open && words.every((word) => !word.includes("*"))
  return isPrefix ? inexact.every((at) => at >= words.length) : inexact.length === 0 && (open || !more)
}

/** For deny and ask rules: what cannot be parsed may match, and so may what is hidden behind another program. */
export function guardsCommand(pattern: CommandPattern, command: ReadCommand): CommandMatch {
  const { text, analysis, everything } = command
  if (text.trim() === pattern.text) return "match"
  if (everything.some((segment) => meets(pattern, segment))) return "match"
  if (pattern.line) return guardsLine(pattern.line, command)
  const started = everything.map((segment) => startedMatch(pattern, segment))
  if (started.includes("match")) return "match"
  const isDark = !analysis.understood || everything.some(runsUnread)
  if (isDark && mentions(pattern, command)) return "maybe"
  if (started.includes("maybe")) return "maybe"
  return everything.some((segment) => couldMeet(pattern, segment)) ? "maybe" : "no"
}

/** What it would start by its words. A pattern that begins with a star has matched all of them together. */
function startedMatch(pattern: CommandPattern, segment: Segment): CommandMatch {
  const [part = ""] = (pattern.words[0] ?? "").split("*")
  if (part === "") return "no"
  return startsGuarded(segment, part, (words) => {
    if (matchesWords(pattern, words)) return "match"
    return couldMeet(pattern, { argv: words, inexact: [], open: false }) ? "maybe" : "no"
  })
}

/** Matches if the commands come in this order; `maybe` if one of them is unknown. */
function guardsLine(line: readonly CommandPattern[], command: ReadCommand): CommandMatch {
  let found = 0
  for (const segment of command.everything) {
    const next = line[found]
    if (next && meets(next, segment)) found++
  }
  if (found === line.length) return "match"
  return line.every((part) => guardsCommand(part, command) !== "no") ? "maybe" : "no"
}

/** The command by its words and by the bare name of its program, and as written, with wrappers. */
export function meets(pattern: CommandPattern, { argv, text, wrappers }: Segment): boolean {
  const [name = "", ...rest] = argv
  if (argv.length > 0 && (matchesWords(pattern, argv) || matchesWords(pattern, [programName(name), ...rest])))
    return true
  return wrappers.length > 0 && matchesWords(pattern, text.trim().split(/\s+/))
}

/** Whether a program runs something its words do not name: a text of its own, or its input. */
function runsUnread({ argv }: Segment): boolean {
  const [name = "", ...rest] = argv
  return runsAnother(argv) || (isOpaque(name) && rest.every((word) => word.startsWith("-")))
}

const further: readonly Token[] = [{ kind: "char", char: separator }, { kind: "many" }]

function matchesWords({ tokens, open }: CommandPattern, words: readonly string[]): boolean {
  const text = words.join(separator)
  return matchesWhole(tokens, text) || (open && matchesWhole([...tokens, ...further], text))
}

/**
 * Not the same command, but too similar to pass without asking: `git -C . push` has the words of `git push` in order, and a word that only the shell
 * knows could be anything.
 */
function couldMeet(
  { words: wanted }: CommandPattern,
  { argv, inexact, open }: Pick<Segment, "argv" | "inexact" | "open">,
): boolean {
  const [name = "", ...rest] = argv
  if (inexact.includes(0)) return true
  const first = wanted[0] ?? ""
  if (first !== programName(name) && !matchesWhole(starred(first), name)) return false
  if (open && wanted.length > argv.length) return true
  let found = 1
  for (const [i, word] of rest.entries()) {
    const next = wanted[found]
    if (next === undefined) break
    if (matchesWhole(starred(next), word) || (inexact.includes(i + 1) && couldBe(word, next))) found++
  }
  return wanted.length > 1 && found === wanted.length
}

/** Whether a word that the shell will expand could become another. */
function couldBe(word: string, wanted: string): boolean {
  if (/[$`{…]/.test(word)) return true
  const wild = word.replace(/\[[^\]]*\]?|\?/g, "*")
  return wanted.includes("*") || matchesWhole(starred(wild), wanted)
}

/** Whether an unparsed command could contain what a rule is about. */
function mentions({ needle }: CommandPattern, { bare, hidesItsProgram }: ReadCommand): boolean {
  return needle === undefined || needle.test(bare()) || hidesItsProgram()
}

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i])
