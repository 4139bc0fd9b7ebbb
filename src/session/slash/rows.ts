/** Lists as lines of text, for faces without panels. */

import { aligned } from "#lib/rows.ts"
import type { SlashAnswer } from "#session/opening/program.ts"

export function matches(words: string, ...texts: readonly string[]): boolean {
  const all = texts.join(" ").toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

export const numbered = (rows: readonly (readonly string[])[]): readonly string[] =>
  aligned(rows.map((row, i) => [`${i + 1}.`, ...row]))

export const currentMark = (isCurrent: boolean): string => (isCurrent ? "(current)" : "")

export const wrongNumber = (noun: string, requested: string | undefined, count: number): SlashAnswer => ({
  text:
    count === 0
      ? `There is no ${noun} ${requested}.`
      : `There is no ${noun} ${requested}. They are numbered 1 to ${count}.`,
  isError: true,
})

/** The lines, or a message when there are none: `empty`, or that nothing matches the words. */
export function listed(lines: readonly string[], words: string, empty: string): string {
  if (lines.length > 0) return lines.join("\n")
  return words === "" ? empty : `Nothing matches "${words}".`
}
