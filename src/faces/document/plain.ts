/** A conversation as plain lines for a terminal. */

import { wholeNumber } from "#lib/figures.ts"
import { forReview } from "#lib/printable.ts"
import type { DocumentPart } from "./parts.ts"
import { resultText } from "./result-text.ts"

const mostLines = 12

export function plainDocument(parts: readonly DocumentPart[]): string {
  return parts.map((part) => `${partLines(part).join("\n")}\n`).join("\n")
}

function partLines(part: DocumentPart): string[] {
  switch (part.kind) {
    case "prompt":
      return forReview(part.text)
        .split("\n")
        .map((line) => `> ${line}`)
    case "answer":
      return [forReview(part.text).trim()]
    case "thinking":
      return ["(thinking)"]
    case "notice":
      return forReview(part.text)
        .split("\n")
        .map((line) => `! ${line}`)
    default: {
      const lines = forReview(resultText(part).text).trimEnd().split("\n")
      const more = lines.length - mostLines
      const shown = more > 0 ? [...lines.slice(0, mostLines), `... ${wholeNumber(more)} more lines`] : lines
      const outcome = part.outcome === "done" ? "" : ` (${part.outcome})`
      return [`* ${forReview(part.title).replaceAll("\n", " ")}${outcome}`, ...shown.map((line) => `    ${line}`)]
    }
  }
}
