/** Rules about shell commands: exact, prefix and wildcard, matched on words. */

import { failed, ok, type Result } from "#lib/result.ts"
import { isWrapper, programName, runsAnother } from "./launchers.ts"
import { plainWords } from "./plain-command.ts"
import type { ReadCommand } from "./read-command.ts"
import { matchesWhole, starred, type Token } from "./wildcard.ts"

export interface CommandPattern {
  readonly text: string
  readonly kind: "exact" | "wild"
  /** The words, as far as the pattern names them; a `*` in a word stands for any characters. */
  readonly words: readonly string[]
  /** Whether further words may follow. */
  readonly open: boolean
  /** Whether the pattern itself could be a plain command; one that could not never allows anything. */
  readonly plain: boolean
  readonly tokens: readonly Token[]
  /** What a command that is not understood must hold to be meant; undefined when the pattern names no program. */
  readonly needle: RegExp | undefined
}

/** `match`: the rule speaks about this command. `maybe`: it could, and nobody can tell. */
export type CommandMatch = "match" | "maybe" | "no"

/** No plain word holds it, so that a word with a space in it is never taken for two. */
const separator = "\u0001"

/** Understands what stands between the parentheses of a Bash rule. */
export function parseCommandPattern(content: string): Result<CommandPattern, string> {
  const text = content.trim()
  const open = /(?::|\s)\*$/.test(text)
  const named = open ? text.slice(0, -2).trimEnd() : text
  if (named === "") return failed("it names no command; write Bash to mean every command")
  if (named.includes(":*")) return failed("`:*` may stand only at its end")
  const plain = plainWords(named, "rule")
  const words = plain ?? named.split(/\s+/)
  const program = (words[0] ?? "").split("*").find((part) => part !== "")
  return ok({
    text,
    kind: open || named.includes("*") ? "wild" : "exact",
    words,
    open,
    plain: plain !== undefined,
    tokens: starred(words.join(separator)),
    needle: program === undefined ? undefined : new RegExp(`(?<!\\w)${RegExp.escape(program)}(?!\\w)`, "i"),
  })
}

/** For allow rules: only a plain command can match, and a prefix never covers what a launcher would start. */
export function allowsCommand(pattern: CommandPattern, { words }: ReadCommand): boolean {
  if (words === undefined || !pattern.plain) return false
  if (pattern.kind === "exact") return sameWords(pattern.words, words)
  return !runsAnother(words) && matchesWords(pattern, words)
}

/** For deny and ask rules: what is not plain may match, and so may what is hidden behind another program. */
export function guardsCommand(pattern: CommandPattern, command: ReadCommand): CommandMatch {
  const { text, words } = command
  if (text.trim() === pattern.text) return "match"
  if (words === undefined) return mentions(pattern, command) ? "maybe" : "no"
  if (disguises(words).some((disguise) => matchesWords(pattern, disguise))) return "match"
  if (runsAnother(words) && mentions(pattern, command)) return "maybe"
  return namesInOrder(pattern, words) ? "maybe" : "no"
}

const further: readonly Token[] = [{ kind: "char", char: separator }, { kind: "many" }]

function matchesWords({ tokens, open }: CommandPattern, words: readonly string[]): boolean {
  const text = words.join(separator)
  return matchesWhole(tokens, text) || (open && matchesWhole([...tokens, ...further], text))
}

/** The command as it stands, by the bare name of its program, and as each command that a wrapper could be given. */
function disguises(words: readonly string[]): readonly (readonly string[])[] {
  const [name = "", ...rest] = words
  const bare = [programName(name), ...rest]
  if (!isWrapper(name)) return bare[0] === name ? [words] : [words, bare]
  return [words, bare, ...rest.map((inner, i) => [programName(inner), ...rest.slice(i + 1)])]
}

/** `git -C . push` names the words of `git push`, in order: not the same command, but too near to let it pass unasked. */
function namesInOrder({ words: wanted }: CommandPattern, words: readonly string[]): boolean {
  if (wanted.length < 2 || wanted[0] !== programName(words[0] ?? "")) return false
  let found = 1
  for (const word of words.slice(1)) {
    const next = wanted[found]
    if (next !== undefined && matchesWhole(starred(next), word)) found++
  }
  return found === wanted.length
}

/** Whether a command that is not understood could hold what a rule speaks about. */
function mentions({ needle }: CommandPattern, { bare, hidesItsProgram }: ReadCommand): boolean {
  return needle === undefined || needle.test(bare()) || hidesItsProgram()
}

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i])
