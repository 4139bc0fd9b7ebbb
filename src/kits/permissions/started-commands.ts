/**
 * What a command may start by its words, for deny and ask rules: whatever program it is, each of its words could be a
 * command, and each text could hold one. Known readers start nothing.
 */

import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { isOpaque, programName, runsShellText, startOf } from "#ground/workspace/shell/programs/launchers.ts"
import { valueOf } from "./rules/guarded-words.ts"
import { redirectingFlags } from "./rules/redirecting-flags.ts"
import { commandsFrom } from "./rules/own-words.ts"
import { isTextValue, isTextWord } from "./rules/text-flags.ts"

/** `match`: a rule covers it. `maybe`: it could, and that cannot be decided. */
export type Likelihood = "match" | "maybe" | "no"

/** Whether words are what a rule is about. */
export type Compare = (words: readonly string[]) => Likelihood

const mostWords = 400
const longestText = 20_000

/** `part` is what every word must contain that could be the rule's program. */
export function startsGuarded(segment: Segment, part: string, compare: Compare): Likelihood {
  const { argv, verdict, assignments, fed, inexact, expansions } = segment
  if (verdict !== "other" || argv.length === 0) return "no"
  // Most commands have nothing that could be a command, or hide one.
  if (inexact.length === 0 && fed.length === 0 && assignments.length === 0 && !argv.some((word) => mayHold(word, part)))
    return "no"
  const name = programName(argv[0] ?? "")
  const from = commandsFrom(argv)
  // A string in a program of another language may be a command or not.
  const isCode = isOpaque(name) && !runsShellText(name) && !startOf(argv)
  const softened = (match: Likelihood): Likelihood => (isCode && match === "match" ? "maybe" : match)
  if (argv.length > mostWords) return argv.some((word) => word.includes(part)) ? "maybe" : "no"
  let found: Likelihood = "no"
  const meet = (match: Likelihood): boolean => {
    if (match !== "no") found = match
    return match === "match"
  }
  for (const { value, harmless } of assignments)
    if (!harmless && value !== undefined && holds(value, part) && meet(inText(value, compare))) return "match"
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at] ?? ""
    const expansion = inexact.length === 0 ? undefined : expansions[inexact.indexOf(at)]
    if (expansion?.kind === "words" && at >= from)
      for (const each of expansion.words)
        if (each.includes(part) && meet(compare([programName(each), ...argv.slice(at + 1)]))) return "match"
    if (expansion?.kind === "anything" && at >= from && !isTextValue(name, argv, at)) meet("maybe")
    if (isTextValue(name, argv, at) || isTextWord(name, argv, at)) continue
    const isText = /[\s;&|(){}<>`!"']/.test(word)
    if (from !== Infinity && isText && hidesCommand(word)) meet("maybe")
    if (!holds(word, part)) continue
    const isStarted = at >= from || isValueOfStart(name, argv, at)
    if (isStarted && !word.startsWith("-") && meet(softened(compare([programName(word), ...argv.slice(at + 1)]))))
      return "match"
    if (isText && meet(softened(inText(word, compare)))) return "match"
    if (
      (isStarted || (name === "make" && word.includes("="))) &&
      !isText &&
      meet(softened(inText(withoutFlag(word), compare)))
    )
      return "match"
    // `sed` and `ed` need no space between their command and what it runs.
    if (attaching.has(name) && found === "no") meet("maybe")
  }
  if (from !== Infinity || name === "make")
    for (const text of fed) {
      if (hidesCommand(text)) meet("maybe")
      if (holds(text, part) && meet(softened(inText(text, compare)))) return "match"
    }
  return found
}

const mayHold = (word: string, part: string): boolean => word.includes(part) || /[\s$`\\"']/.test(word)

/** Quotes inside a text end with the shell that reads it. */
const holds = (text: string, part: string): boolean =>
  text.includes(part) || (/["'\\]/.test(text) && text.replace(/["'\\]/g, "").includes(part))

const attaching: ReadonlySet<string> = new Set(["ed", "ex", "nvim", "red", "sed", "vi", "vim"])

/** `-Irm` is `rm` behind a flag of one letter. */
const withoutFlag = (word: string): string => (/^-[A-Za-z0-9]./.test(word) ? word.slice(2) : word)

/** Whether the word is, or has, the value of a flag that starts a program. */
function isValueOfStart(name: string, words: readonly string[], at: number): boolean {
  const tables = redirectingFlags(name)
  return tables.some(
    ({ starts = [], bundles }) =>
      valueOf(words, at, starts, bundles) !== undefined || valueOf(words, at - 1, starts, bundles) === words[at],
  )
}

/** Every command that a text could hold: each word of it with those that follow, with and without its quotes. */
function inText(text: string, compare: Compare): Likelihood {
  if (text.length > longestText) return "maybe"
  let found: Likelihood = "no"
  let left = mostWords
  for (const form of new Set([text, text.replace(/["'\\]/g, "")])) {
    for (const piece of form.split(/[;&|\n\r(){}`!]/)) {
      const words: readonly string[] = piece.split(/[\s"'=,<>[\]]+/).filter((word) => word !== "")
      left -= words.length
      if (left < 0) return "maybe"
      for (const [i, word] of words.entries()) {
        const match = compare([programName(word), ...words.slice(i + 1)])
        if (match === "match") return match
        if (match === "maybe") found = match
      }
    }
  }
  return found
}

/** Whether a text, read as a script, runs something that is not written in it. */
function hidesCommand(text: string): boolean {
  if (/\\(?:x[\dA-Fa-f]|[0-7]{3}|u[\dA-Fa-f]{4})/.test(text)) return true
  if (text.length > longestText) return true
  return text.split(/[;&|\n\r(){}]/).some((piece) => {
    const words = piece
      .replace(/["']/g, "")
      .split(/\s+/)
      .filter((word) => word !== "" && !/^[A-Za-z_]\w*=/.test(word))
    const first = words[0] ?? ""
    const rest = words.slice(1)
    if (/^[\w./-]*[$`]/.test(first) && /\s/.test(text)) return true
    return (
      (runsShellText(first) || (isOpaque(first) && rest.length > 0)) &&
      rest.every((word) => word.startsWith("-") || /[$`]/.test(word))
    )
  })
}
