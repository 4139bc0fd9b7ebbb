/** Placeholders in a command's text, found in one pass, so that arguments are never searched for placeholders. */

import type { CommandDefinition } from "#agent/words/command.ts"
import { wordsOf } from "#lib/words.ts"

/** `written` is the spelling in the file: kept where the argument was not given. */
export type Placeholder = { readonly written: string } & (
  | { readonly kind: "all" }
  | { readonly kind: "nth"; readonly index: number }
  | { readonly kind: "variable"; readonly name: string }
)

export type BodyPiece = string | Placeholder

export interface Values {
  readonly args: string
  readonly words: readonly string[]
  readonly variables: { readonly [name: string]: string }
}

export type Declared = Pick<CommandDefinition, "kind" | "takes" | "argumentNames">

export type SplitText = (text: string, backslashes?: "taken" | "kept") => readonly BodyPiece[]

/**
 * `${VARIABLE}`, `$ARGUMENTS` with or without an index, `$3`, `$name`, each optionally escaped with a backslash. `$B$6`, `$5.00`, `$1,000`, `$20` and
 * `$5M` are cells and amounts of money.
 */
const found =
  /(\\?)(?:\$\{([A-Z][A-Z0-9_]*)\}|\$ARGUMENTS(?:\[(\d+)\]|\b)|(?<!\$[A-Za-z]{1,3})\$(\d)(?!\w|[.,]\d)|\$([A-Za-z_]\w*))/g

/** Quoted programs in which `$1` is a field or a group. */
const programs = /\b(?:[gmn]?awk|perl)\b[^'\n`]*'[^']*'/g

/** Splits text at its placeholders. A backslash escapes one, and is itself kept where a shell reads it. */
export function openPlaceholders(body: string, { kind, takes, argumentNames }: Declared): SplitText {
  const first = countsFromZero(body, argumentNames) ? 0 : 1
  // Skills are documents, and many contain amounts, cells or fields; they declare it when they take arguments.
  const hasNumbers = kind === "command" || takes !== ""
  const isDeclared = (index: number): boolean =>
    hasNumbers && index >= 0 && (argumentNames.length === 0 || index < argumentNames.length)

  function placeholderFor(match: RegExpExecArray, isInProgram: boolean): Placeholder | undefined {
    const [whole, backslash = "", variable, at, nth, name] = match
    const written = whole.slice(backslash.length)
    if (variable !== undefined)
      return knownVariables.includes(variable) ? { kind: "variable", name: variable, written } : undefined
    if (at !== undefined) return { kind: "nth", index: Number(at), written }
    if (nth !== undefined) {
      const index = Number(nth) - first
      return isDeclared(index) && !isInProgram ? { kind: "nth", index, written } : undefined
    }
    if (name === undefined) return { kind: "all", written }
    return argumentNames.includes(name) ? { kind: "nth", index: argumentNames.indexOf(name), written } : undefined
  }

  return (text, backslashes = "taken") => {
    const spans = [...text.matchAll(programs)].map(({ index, 0: span }) => [index, index + span.length] as const)
    const pieces: BodyPiece[] = []
    let end = 0
    for (const match of text.matchAll(found)) {
      const { index, 0: whole, 1: backslash } = match
      const placeholder = placeholderFor(
        match,
        spans.some(([from, to]) => from <= index && index < to),
      )
      if (placeholder === undefined || (backslash !== "" && placeholder.kind === "variable")) continue
      const kept = backslashes === "kept" ? whole : placeholder.written
      pieces.push(text.slice(end, index), backslash === "" ? placeholder : kept)
      end = index + whole.length
    }
    return [...pieces, text.slice(end)].filter((piece) => piece !== "")
  }
}

/** Older files call the first argument `$1`. Newer ones call it `$0`, index `$ARGUMENTS` or name their arguments. */
function countsFromZero(body: string, names: readonly string[]): boolean {
  if (names.length > 0 || /\$ARGUMENTS\[\d+\]/.test(body)) return true
  return body.split("\n").some((line) => /(?<!\\)\$0(?!\w|[.,]\d)/.test(line) && !ownZero.test(line))
}

/** Where `$0` is a whole record or the name of a script. */
const ownZero = /\bawk\b|\b(?:dirname|basename|realpath|readlink)\b|\busage\b/i

export function wordsFor(placeholder: Placeholder, { words, variables }: Values): readonly string[] | undefined {
  switch (placeholder.kind) {
    case "all":
      return words
    case "nth": {
      const word = words[placeholder.index]
      return word === undefined ? undefined : [word]
    }
    case "variable":
      return [variables[placeholder.name] ?? placeholder.written]
  }
}

export const usesArguments = (pieces: readonly BodyPiece[], values: Values): boolean =>
  pieces.some(
    (piece) => typeof piece !== "string" && piece.kind !== "variable" && wordsFor(piece, values) !== undefined,
  )

/** Split like a shell does, or at spaces if a quote is never closed. */
export const argumentWords = (args: string): readonly string[] =>
  wordsOf(args) ?? args.split(/\s+/).filter((word) => word !== "")

/** The text with its arguments. Missing ones stay as written. */
export const filled = (pieces: readonly BodyPiece[], values: Values): string =>
  pieces
    .map((piece) => {
      if (typeof piece === "string") return piece
      return piece.kind === "all" ? values.args : (wordsFor(piece, values)?.join(" ") ?? piece.written)
    })
    .join("")

/** Those of Claude Code, and the same with our name. */
const knownVariables: readonly string[] = ["CLAUDE", "CODEWRIGHT"].flatMap((name) => [
  `${name}_PROJECT_DIR`,
  `${name}_SKILL_DIR`,
  `${name}_SESSION_ID`,
  `${name}_PLUGIN_ROOT`,
  `${name}_PLUGIN_DATA`,
])

export const variablesOf = (about: {
  readonly project: string
  readonly folder?: string
  readonly plugin?: string
  readonly pluginData?: string
  readonly session: string
}): { readonly [name: string]: string } =>
  Object.fromEntries(
    ["CLAUDE", "CODEWRIGHT"].flatMap((name) => [
      [`${name}_PROJECT_DIR`, about.project],
      [`${name}_SKILL_DIR`, about.folder ?? about.project],
      [`${name}_SESSION_ID`, about.session],
      ...(about.plugin === undefined ? [] : [[`${name}_PLUGIN_ROOT`, about.plugin]]),
      ...(about.pluginData === undefined ? [] : [[`${name}_PLUGIN_DATA`, about.pluginData]]),
    ]),
  )
