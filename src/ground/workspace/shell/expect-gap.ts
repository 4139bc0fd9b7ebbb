/** What must be between the parts of a command; anything else was not read. */

import type { Reading } from "./reading.ts"

/** A reserved word between two parts, with optional line ends and semicolon around it. */
export function expectWords(reading: Reading, from: number, to: number, word: string): void {
  expectGap(reading, from, to, new RegExp(`^;?\\n*${RegExp.escape(word)}\\n*$`))
}

export function expectGap(
  reading: Reading,
  from: number,
  to: number,
  wanted: RegExp,
  { after }: { readonly after?: string | undefined } = {},
): void {
  const text = reading.gap(from, to)
  if (wanted.test(text)) return
  // An ampersand already parts two statements, and belongs to the first.
  if (after === "&" && /^\n*$/.test(text)) return
  reading.doubt("something stands between the commands that was not read")
}
