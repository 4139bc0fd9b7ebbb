/** What a word of a command line may be, and whether it is that. */

import type { Argument } from "./argument.ts"

/** `text` anything, `word` no path and no space, `number`, `path` is read, `write` is written. */
export type Kind = "text" | "word" | "number" | "path" | "write"

export function fitsKind({ kind: certainty, text, number, many }: Argument, kind: Kind): boolean {
  if (number && !many && (kind === "word" || kind === "number")) return true
  switch (kind) {
    case "text":
      return true
    case "word":
      return certainty === "exact" && /^[\w.,:@=+%^~-]*$/.test(text)
    case "number":
      return certainty === "exact" && /^[+-]?\d[\d.]*[A-Za-z%]{0,3}$/.test(text)
    case "path":
    case "write":
      // Some programs read `+5` as a command, and `@list` as a file with further words.
      return !/^[+@]/.test(text) && text !== ""
  }
}

/** A misspelled kind in a table becomes the strictest one. */
export const toKind = (text: string | undefined): Kind =>
  text === "text" || text === "word" || text === "path" || text === "write" ? text : "number"
