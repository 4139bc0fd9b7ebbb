/** Reads arguments against the table of flags. Both `--flag value` and `--flag=value`; mistakes are named with the nearest flag. */

import { nearNames } from "#lib/near.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Flag } from "./flag.ts"

export interface Arguments<Name extends string = string> {
  readonly has: (name: Name) => boolean
  readonly value: (name: Name) => string | undefined
  readonly list: (name: Name) => readonly string[]
  readonly rest: readonly string[]
}

export type UsageFailure = { readonly kind: "usage"; readonly message: string }

export function parseArguments<Name extends string>(
  argv: readonly string[],
  table: readonly Flag<Name>[],
): Result<Arguments<Name>, UsageFailure> {
  const found = new Map<string, string[]>()
  const rest: string[] = []
  const keep = (flag: Flag, ...values: string[]): void => {
    found.set(flag.name, [...(found.get(flag.name) ?? []), ...values])
  }

  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] as string
    if (word === "--") {
      rest.push(...argv.slice(i + 1))
      break
    }
    if (!word.startsWith("-") || word === "-") {
      rest.push(word)
      continue
    }
    const equals = word.startsWith("--") ? word.indexOf("=") : -1
    const spelled = equals < 0 ? word : word.slice(0, equals)
    const inlineValue = equals < 0 ? undefined : word.slice(equals + 1)
    const flag = flagOf(spelled, table)
    const together = flag ? [] : switchesIn(word, table)
    for (const one of together) keep(one, "")
    if (together.length > 0) continue
    if (!flag) return usage(unknown(spelled, table))
    const next = argv[i + 1]
    switch (flag.kind) {
      case "switch":
        if (inlineValue !== undefined && inlineValue !== "true" && inlineValue !== "false")
          return usage(`option '${spelled}' takes no value`)
        if (inlineValue !== "false") keep(flag, "")
        break
      case "value": {
        const value = inlineValue ?? next
        // A value may begin with a dash, but one that is a flag to the letter means that the value was forgotten.
        if (value === undefined || (inlineValue === undefined && flagOf(value, table)))
          return usage(`option '${spelled} <${flag.takes ?? "value"}>' needs a value`)
        if (inlineValue === undefined) i++
        keep(flag, value)
        break
      }
      case "attached": {
        const value = inlineValue ?? (isMadeOf(next, flag.words) ? next : "")
        if (inlineValue === undefined && value !== "") i++
        keep(flag, value)
        break
      }
      case "optional": {
        const value = inlineValue ?? (isOptionalValue(next, flag) ? next : "")
        if (inlineValue === undefined && value !== "") i++
        keep(flag, value)
        break
      }
      case "list":
      case "rules": {
        const values = inlineValue === undefined ? valuesAfter(argv, i + 1) : [inlineValue]
        if (inlineValue === undefined && values.length === 0)
          return usage(`option '${spelled} <${flag.takes ?? "values"}>' needs a value`)
        if (inlineValue === undefined) i += values.length
        keep(flag, ...(flag.kind === "rules" ? values.flatMap(splitOutsideParentheses) : values))
        break
      }
    }
    const value = found.get(flag.name)?.at(-1)
    if (flag.choices && value !== undefined && !flag.choices.includes(value))
      return usage(badChoice(spelled, value, flag.choices))
  }

  return ok({
    has: (name) => found.has(name),
    value: (name) => found.get(name)?.at(-1),
    list: (name) => found.get(name) ?? [],
    rest,
  })
}

const isOptionalValue = (next: string | undefined, { oneWord }: Flag): next is string =>
  next !== undefined && !next.startsWith("-") && !(oneWord && /\s/.test(next))

/** A prompt is hardly ever such a list with one of the words in it. */
const isMadeOf = (word: string | undefined, words: readonly string[] = []): word is string =>
  word !== undefined &&
  /^!?[a-z_]+(?:,!?[a-z_]+)*$/.test(word) &&
  word.split(",").some((part) => words.includes(part.replace(/^!/, "")))

const flagOf = <Name extends string>(spelled: string, table: readonly Flag<Name>[]): Flag<Name> | undefined =>
  table.find(({ name, also }) => spelled === `--${name}` || also?.includes(spelled))

const usage = (message: string): Result<never, UsageFailure> => failed({ kind: "usage", message })

function unknown(spelled: string, table: readonly Flag[]): string {
  const near = nearNames(
    spelled.replace(/^-+/, ""),
    table.filter(({ hidden }) => !hidden).map(({ name }) => name),
    1,
  )[0]
  return `unknown option '${spelled}'${near ? ` (did you mean --${near}?)` : ""}; see --help`
}

function badChoice(spelled: string, value: string, choices: readonly string[]): string {
  const near = value === "" ? undefined : nearNames(value, choices, 1)[0]
  return `option '${spelled}': '${value}' is not one of ${choices.join(", ")}${near ? ` (did you mean ${near}?)` : ""}`
}

/** `-pc` is `-p -c`; empty unless all of it are switches. */
function switchesIn(word: string, table: readonly Flag[]): readonly Flag[] {
  if (!/^-[a-z]{2,}$/i.test(word)) return []
  const found = Array.from(word.slice(1)).map((letter) => flagOf(`-${letter}`, table))
  return found.every((flag) => flag?.kind === "switch") ? found.filter((flag) => flag !== undefined) : []
}

/** A list may be written as several words, but never swallows a flag. */
function valuesAfter(argv: readonly string[], from: number): string[] {
  const end = argv.findIndex((word, index) => index >= from && word.startsWith("-"))
  return argv.slice(from, end < 0 ? undefined : end)
}

/** `Read,Bash(git log, -n 1)` is two rules: commas and spaces inside parentheses belong to the rule. */
function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ""
  for (const char of text) {
    if (char === "(") depth++
    if (char === ")") depth--
    if (depth <= 0 && (char === "," || char === " ")) {
      parts.push(part)
      part = ""
    } else part += char
  }
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== "")
}
