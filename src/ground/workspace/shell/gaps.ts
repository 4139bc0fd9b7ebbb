/**
 * The text between the parts of a command: a tolerant parser may drop something, and then its tree must not be trusted.
 */

import type { SourceSpan } from "./grammar.ts"

/** Without spaces, comments and here-documents; line ends stay. */
export type Gap = (from: number, to: number) => string

export function gapsIn(source: string, bodies: readonly SourceSpan[]): Gap {
  return (from, to) => {
    if (to <= from) return ""
    return bare(withoutBodies(source, from, to, bodies))
  }
}

function withoutBodies(source: string, from: number, to: number, bodies: readonly SourceSpan[]): string {
  let text = ""
  let at = from
  for (const { pos, end } of bodies) {
    if (end <= at || pos >= to) continue
    text += source.slice(at, pos)
    at = end
  }
  return text + source.slice(at, Math.max(at, to))
}

function bare(text: string): string {
  if (/^[ \t]*$/.test(text)) return ""
  return text.replace(/\\\n|#[^\n]*|[ \t]/g, "")
}
