/** Rules about shell commands: exact, prefix and wildcard, matched on words. */

import { failed, ok, type Result } from "#lib/result.ts"
import { isOpaque, isWrapper, programName, runsAnother } from "./launchers.ts"
import { plainWords } from "./plain-command.ts"
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
}

/** `match`: the rule speaks about this command. `maybe`: it could, and nobody can tell. */
export type CommandMatch = "match" | "maybe" | "no"

/** Understands what stands between the parentheses of a Bash rule. */
export function parseCommandPattern(content: string): Result<CommandPattern, string> {
  const text = content.trim()
  const open = /(?::|\s)\*$/.test(text)
  const named = open ? text.slice(0, -2).trimEnd() : text
  if (named === "") return failed("it names no command; write Bash to mean every command")
  if (named.includes(":*")) return failed("`:*` may stand only at its end")
  const words = plainWords(named, "rule")
  const kind = open || named.includes("*") ? "wild" : "exact"
  return ok({ text, kind, words: words ?? named.split(/\s+/), open, plain: words !== undefined })
}

/** For allow rules: only a plain command can match, and a prefix never covers what a launcher would start. */
export function allowsCommand(pattern: CommandPattern, command: string): boolean {
  const words = plainWords(command)
  if (words === undefined || !pattern.plain) return false
  if (pattern.kind === "exact") return sameWords(pattern.words, words)
  return !runsAnother(words) && matchesWords(pattern, words)
}

/** For deny and ask rules: what is not plain may match, and so may what is hidden behind another program. */
export function guardsCommand(pattern: CommandPattern, command: string): CommandMatch {
  if (command.trim() === pattern.text) return "match"
  const words = plainWords(command)
  if (words === undefined) return mentions(pattern, command) ? "maybe" : "no"
  if (disguises(words).some((disguise) => matchesWords(pattern, disguise))) return "match"
  if (runsAnother(words) && mentions(pattern, command)) return "maybe"
  return namesInOrder(pattern, words) ? "maybe" : "no"
}

const separator = "\u0001"

function matchesWords({ words: wanted, open }: CommandPattern, words: readonly string[]): boolean {
  // No plain word holds the separator, so that a word with a space in it is never taken for two.
  const text = words.join(separator)
  const tokens = starred(wanted.join(separator))
  const further: readonly Token[] = [{ kind: "char", char: separator }, { kind: "many" }]
  return matchesWhole(tokens, text) || (open && matchesWhole([...tokens, ...further], text))
}

/** The command as it stands, by the bare name of its program, and as each command that a wrapper could be given. */
function disguises(words: readonly string[]): readonly (readonly string[])[] {
  const [name = "", ...rest] = words
  const bare = [programName(name), ...rest]
  if (!isWrapper(name)) return [words, bare]
  return [words, bare, ...rest.map((inner, i) => [programName(inner), ...rest.slice(i + 1)])]
}

/** `git -C . push` names the words of `git push`, in order: not the same command, but too near to let it pass unasked. */
function namesInOrder({ words: wanted }: CommandPattern, words: readonly string[]): boolean {
  if (wanted.length < 2 || wanted[0] !== programName(words[0] ?? "")) return false
  let found = 0
  for (const word of [wanted[0], ...words.slice(1)]) {
    const next = wanted[found]
    if (next !== undefined && matchesWhole(starred(next), word)) found++
  }
  return found === wanted.length
}

/** Whether a command that is not understood could hold what a rule speaks about. */
function mentions({ words }: CommandPattern, command: string): boolean {
  const needle = (words[0] ?? "").split("*").find((part) => part !== "")
  // Quotes and backslashes inside a word do not change the program that runs.
  const bare = command.replace(/\\\n|["'\\]/g, "")
  if (needle === undefined || hidesItsProgram(bare)) return true
  return new RegExp(`(?<!\\w)${RegExp.escape(needle)}(?!\\w)`, "i").test(bare)
}

/** Whether some command in the text gets its name by an expansion, or runs something that the text need not name. */
function hidesItsProgram(text: string): boolean {
  const withoutTargets = text.replace(/`([^`]*)`/g, "$($1)").replace(/\d*[<>]+[&|]?\s*(?!\()[^\s;&|()]+/g, " ")
  return withoutTargets.split(/[;&|\n\r(){}`]/).some((part) => {
    const words = part.split(/\s+/).filter((word) => word !== "" && !beforeTheName.test(word))
    const inner = isWrapper(words[0] ?? "") ? words : words.slice(0, 1)
    return inner.some((word) => isOpaque(word) || (/[$*?[\]~]/.test(word) && word !== "[" && word !== "[["))
  })
}

/** What may stand before the name of a program: assignments and the words of a compound command. */
const beforeTheName = /^(?:[A-Za-z_]\w*\+?=.*|!|if|then|else|elif|while|until|do|for)$/

const sameWords = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i])
