/** Lists as lines of text, for faces without panels. */

/** Whether every word occurs in some of the texts. */
export function matches(words: string, ...texts: readonly string[]): boolean {
  const all = texts.join(" ").toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

/** The lines, or a message when there are none: `empty`, or that nothing matches the words. */
export function listed(lines: readonly string[], words: string, empty: string): string {
  if (lines.length > 0) return lines.join("\n")
  return words === "" ? empty : `Nothing matches "${words}".`
}
