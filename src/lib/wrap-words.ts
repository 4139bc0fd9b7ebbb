/** Lines of at most so many columns, broken between words; a word that is longer than a line is left whole. */
export const wrapWords = (text: string, columns: number): string =>
  text
    .split("\n")
    .map((line) => (Bun.stringWidth(line) <= columns ? line : Bun.wrapAnsi(line, columns, { hard: false, trim: true })))
    .join("\n")
