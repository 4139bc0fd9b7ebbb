/** A shell command with arguments inserted: quoted for their position, so that none is ever interpreted as shell. */

import { failed, ok, type Result } from "#lib/result.ts"
import { type BodyPiece, type Values, wordsFor } from "./placeholders.ts"

type Quote = "none" | "single" | "double"

/** The failure says why an argument cannot be used in its position. */
export function shellText(pieces: readonly BodyPiece[], values: Values): Result<string, string> {
  const reader = openReader()
  let text = ""
  for (const piece of pieces) {
    if (typeof piece === "string") {
      reader.read(piece)
      text += piece
      continue
    }
    const words = wordsFor(piece, values)
    const place = reader.place()
    if (words === undefined) {
      // A missing argument becomes what a shell makes of it, wherever it is an argument at all.
      const left = place.ok && place.value !== "single" ? "" : piece.written
      reader.read(left)
      text += left
      continue
    }
    if (!place.ok) return place
    text += quotedFor(place.value, words)
    reader.afterWord()
  }
  return ok(text)
}

function quotedFor(quote: Quote, words: readonly string[]): string {
  const whole = words.map((word) => word.replaceAll("\0", ""))
  switch (quote) {
    case "none":
      return whole.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")
    case "single":
      return whole.join(" ").replaceAll("'", "'\\''")
    case "double":
      return whole.join(" ").replace(/[\\"$`]/g, "\\$&")
  }
}

/** `${NAME}`, and `$(a command of plain words)`: complete before anything can be inserted. */
const closedExpansion = /^\$(?:\{[A-Za-z_]\w*\}|\((?!\()[\w./:@%+=, -]*\))/

/** Tracks the quoting state. Constructs with a grammar of their own are not parsed, and nothing is inserted there. */
function openReader() {
  let quote: Quote = "none"
  let isEscaped = false
  let isDark = false
  let before = " "

  function readOne(character: string, next: string): void {
    if (isEscaped) {
      isEscaped = false
      return
    }
    if (quote === "single") {
      if (character === "'") quote = "none"
      return
    }
    if (character === "\\") {
      isEscaped = true
      return
    }
    // A dollar at the end of a piece would join with the quote that starts the argument.
    if (character === "`" || (character === "$" && /[({'"]|^$/.test(next))) isDark = true
    if (character === '"') {
      quote = quote === "double" ? "none" : "double"
      return
    }
    if (quote === "double") return
    if (character === "'") quote = "single"
    if (character === "#" && /[\s;&|(]/.test(before)) isDark = true
    if (/[<>]/.test(character) && next === "(") isDark = true
    if (character === "<" && next === "<") isDark = true
    if (character === "(" && next === "(") isDark = true
  }

  return {
    read(text: string): void {
      for (let i = 0; i < text.length; i++) {
        const character = text[i] ?? ""
        const [closed] =
          character === "$" && quote !== "single" && !isEscaped ? (closedExpansion.exec(text.slice(i)) ?? []) : []
        if (closed !== undefined) {
          i += closed.length - 1
          before = "x"
          continue
        }
        readOne(character, text[i + 1] ?? "")
        before = character
      }
    },
    afterWord(): void {
      before = "x"
    },
    place: (): Result<Quote, string> =>
      isEscaped || isDark
        ? failed("What was typed behind the command would stand where it could be read as shell.")
        : ok(quote),
  }
}
