/** The words of a command as its program may get them: patterns expanded, and what cannot be known marked. */

import type { Segment } from "#ground/workspace/shell/analysis.ts"
import { isTextValue } from "./text-flags.ts"

export interface GuardedWord {
  readonly text: string
  /** `match`: a file that a pattern finds, or a name that was listed. `operand`: unknown, but no flag. */
  readonly kind: "exact" | "match" | "operand" | "anything"
  /** The index of the written word. */
  readonly at: number
  /** Whether it is the value of a flag that takes a text. */
  readonly isValue: boolean
}

/** All words, and those before `--` ends the flags. */
export interface GuardedWords {
  readonly all: readonly GuardedWord[]
  readonly flags: readonly GuardedWord[]
}

/** For them `--` does not end the flags, or other programs get what follows it. */
const ignoringDashes: ReadonlySet<string> = new Set(
  "cc cmake g++ gcc gh go gradle gradlew mvn mvnw sqlite3 terraform".split(" "),
)

/** Flags after which `--` is no value: they take none. */
const bare: { readonly [program: string]: RegExp } = {
  git: /^(?:--(?:stat|shortstat|numstat|oneline|name-only|name-status|cached|staged|quiet|verbose|graph|all|force|dry-run|patch|update|no-verify|hard|soft)|-[apqvnfiuA]+)$/,
  rg: /^-[nilwcFLvsSqoUxNHIh]+$/,
  make: /^-[BikKnqsw]+$/,
  npm: /^(?:--silent|-s)$/,
}

export function guardedWords(name: string, { argv, inexact, expansions }: Segment): GuardedWords {
  const all = argv.flatMap((text, at): readonly GuardedWord[] => {
    const exact = { text, at, isValue: false }
    const place = inexact.indexOf(at)
    // Its first word needs no dash to be flags.
    if (place === -1 && name === "tar" && at === 1 && /^[A-Za-z]+$/.test(text))
      return [{ ...exact, text: `-${text}`, kind: "exact" }]
    if (place === -1) return [{ ...exact, kind: "exact" }]
    const expansion = expansions[place] ?? { kind: "anything" as const, one: false }
    switch (expansion.kind) {
      case "words":
        return expansion.words.map((word) => ({ text: word, at, kind: "match", isValue: false }))
      case "operand":
        return [{ ...exact, kind: "operand" }]
      case "anything":
        return [{ ...exact, kind: "anything", isValue: expansion.one && isTextValue(name, argv, at) }]
    }
  })
  if (ignoringDashes.has(name)) return { all, flags: all }
  const end = all.findIndex(({ text, kind }, i) => i > 0 && kind === "exact" && text === "--")
  if (end === -1) return { all, flags: all }
  const before = all[end - 1]?.text ?? ""
  const isEnd = end === 1 || !before.startsWith("-") || (Object.hasOwn(bare, name) && bare[name]?.test(before) === true)
  // Behind a flag that may take it for its value, `--` ends nothing for names that nobody wrote.
  return { all, flags: all.filter(({ kind }, i) => i < end || (!isEnd && kind !== "exact")) }
}

/** How letters behind one dash are read: which of them take the rest of the word, or the next one. */
export type Bundles = string

/** The value of the first of some flags at an index; undefined if the word is none of them. */
export function valueOf(
  words: readonly string[],
  at: number,
  flags: readonly string[],
  bundles: Bundles | undefined,
): string | undefined {
  for (const flag of flags) {
    const value =
      valueOfFlag(words, at, flag) ?? (bundles === undefined ? undefined : bundled(words, at, flag, bundles))
    if (value !== undefined) return value
  }
  return undefined
}

/** In the next word, after `=`, or attached. */
function valueOfFlag(words: readonly string[], at: number, flag: string): string | undefined {
  const word = words[at] ?? ""
  if (word === flag) return words[at + 1] ?? ""
  const equals = word.indexOf("=")
  const name = equals === -1 ? word : word.slice(0, equals)
  if (flag.startsWith("--")) {
    const isShort = name.length > 3 && flag.startsWith(name)
    if (!isShort) return undefined
    return equals === -1 ? (words[at + 1] ?? "") : word.slice(equals + 1)
  }
  if (flag.length > 2) {
    // Programs with single-dash long flags accept two dashes as well.
    if (name.replace(/^--/, "-") !== flag) return undefined
    return equals === -1 ? (words[at + 1] ?? "") : word.slice(equals + 1)
  }
  return word.startsWith(flag) && !word.startsWith("--") ? word.slice(flag.length) : undefined
}

/** `-avze` includes `-e`, whose value follows it or is the next word. A letter that takes a value ends the flags of its word. */
function bundled(words: readonly string[], at: number, flag: string, valued: Bundles): string | undefined {
  const word = words[at] ?? ""
  if (flag.length !== 2 || !/^-[A-Za-z0-9]/.test(word)) return undefined
  const letter = flag.slice(1)
  for (let i = 1; i < word.length; i++) {
    const each = word[i] ?? ""
    if (each === letter) return word.slice(i + 1) || (words[at + 1] ?? "")
    if (!/[A-Za-z0-9]/.test(each) || valued.includes(each)) return undefined
  }
  return undefined
}
