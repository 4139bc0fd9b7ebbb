/** What a text leaves open for the words behind a command: found in one pass, so that no word is ever looked into again. */

import { wordsOf } from "#lib/words.ts"

export type Placeholder =
  | { readonly kind: "all" }
  | { readonly kind: "nth"; readonly index: number }
  | { readonly kind: "variable"; readonly name: string }

export type Piece = string | Placeholder

/** What is put in their places. */
export interface Values {
  readonly args: string
  readonly words: readonly string[]
  readonly variables: { readonly [name: string]: string }
}

/** A kept one, `${VARIABLE}`, `$ARGUMENTS` with or without a number, `$3`, `$name`. */
const found =
  /\\(\$(?:ARGUMENTS\b|\d+))|\$\{([A-Z][A-Z0-9_]*)\}|\$ARGUMENTS(?:\[(\d+)\]|\b)|\$(\d+)\b|\$([A-Za-z_]\w*)/g

/**
 * Splits a text at its placeholders; a backslash before one keeps it, and is kept itself where a shell reads it. Files of
 * two ages are about: in the older ones `$1` is the first word, in the newer ones `$0` is. Who writes `$0` counts from there.
 */
export function openPlaceholders(
  body: string,
  names: readonly string[],
): (text: string, backslashes?: "taken" | "kept") => readonly Piece[] {
  const first = /\$0\b/.test(body) ? 0 : 1

  function pieceFor([, kept, variable, at, nth, name]: RegExpExecArray): Piece | undefined {
    if (kept !== undefined) return kept
    if (variable !== undefined)
      return knownVariables.includes(variable) ? { kind: "variable", name: variable } : undefined
    if (at !== undefined) return { kind: "nth", index: Number(at) }
    if (nth !== undefined) return { kind: "nth", index: Number(nth) - first }
    if (name === undefined) return { kind: "all" }
    return names.includes(name) ? { kind: "nth", index: names.indexOf(name) } : undefined
  }

  return (text, backslashes = "taken") => {
    const pieces: Piece[] = []
    let end = 0
    for (const match of text.matchAll(found)) {
      const piece = pieceFor(match)
      if (piece === undefined) continue
      const [whole] = match
      pieces.push(text.slice(end, match.index), typeof piece === "string" && backslashes === "kept" ? whole : piece)
      end = match.index + whole.length
    }
    return [...pieces, text.slice(end)].filter((piece) => piece !== "")
  }
}

/** Whether the words behind the command appear in it. */
export const usesArguments = (pieces: readonly Piece[]): boolean =>
  pieces.some((piece) => typeof piece !== "string" && piece.kind !== "variable")

/** The words behind a command: as a shell parts them, or at spaces where a quote is never closed. */
export const argumentWords = (args: string): readonly string[] =>
  wordsOf(args) ?? args.split(/\s+/).filter((word) => word !== "")

/** The words that a placeholder stands for. */
export function wordsFor(placeholder: Placeholder, { words, variables }: Values): readonly string[] {
  switch (placeholder.kind) {
    case "all":
      return words
    case "nth":
      return [words[placeholder.index] ?? ""]
    case "variable":
      return [variables[placeholder.name] ?? ""]
  }
}

/** A text with the words in their places. */
export const filled = (pieces: readonly Piece[], values: Values): string =>
  pieces
    .map((piece) => {
      if (typeof piece === "string") return piece
      return piece.kind === "all" ? values.args : wordsFor(piece, values).join(" ")
    })
    .join("")

/** Those of the ecosystem, and the same with our name. */
const knownVariables: readonly string[] = ["CLAUDE", "CODEWRIGHT"].flatMap((name) => [
  `${name}_PROJECT_DIR`,
  `${name}_SKILL_DIR`,
  `${name}_SESSION_ID`,
])

export const variablesOf = (about: {
  readonly project: string
  readonly folder: string | undefined
  readonly session: string
}): { readonly [name: string]: string } =>
  Object.fromEntries(
    ["CLAUDE", "CODEWRIGHT"].flatMap((name) => [
      [`${name}_PROJECT_DIR`, about.project],
      [`${name}_SKILL_DIR`, about.folder ?? about.project],
      [`${name}_SESSION_ID`, about.session],
    ]),
  )
