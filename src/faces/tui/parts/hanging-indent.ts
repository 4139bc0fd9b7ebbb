/** A mark before the first row, the others below its text. */
export const hangingIndent = (mark: string, rows: readonly string[]): string[] =>
  rows.map((row, i) => (i === 0 ? `${mark} ${row}` : row === "" ? "" : `  ${row}`))
