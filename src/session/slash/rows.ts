/** Lists as lines of text, for faces without panels. */

/** Whether every one of the words is somewhere in the texts. */
export function matches(words: string, ...texts: readonly string[]): boolean {
  const all = texts.join(" ").toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

/** The lines, or what to say when there are none: for no words, or for these. */
export function listed(lines: readonly string[], words: string, empty: string): string {
  if (lines.length > 0) return lines.join("\n")
  return words === "" ? empty : `Nothing matches "${words}".`
}
