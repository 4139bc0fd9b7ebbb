/**
 * Lines of at most so many columns, broken between words; a word that is longer than a line is left whole. What
 * continues a line stands below its text, so that a mark or a name at the left stays alone.
 */
export const wrapWords = (text: string, columns: number): string =>
  text
    .split("\n")
    .map((line) => (Bun.stringWidth(line) <= columns ? line : wrapHanging(line, columns)))
    .join("\n")

/** Indentation, then the mark of a list or a name in a column of its own, unless that takes most of the line. */
export function headOf(line: string, columns: number): string {
  const [head = ""] = /^\s*(?:\S+(?: \S+){0,2}\s{2,}|(?:[-*•·]|\d{1,3}[.)]) )?/.exec(line) ?? []
  return Bun.stringWidth(head) <= columns * 0.65 ? head : (/^\s*/.exec(head)?.[0] ?? "")
}

function wrapHanging(line: string, columns: number): string {
  const head = headOf(line, columns)
  const indent = " ".repeat(Bun.stringWidth(head))
  const room = Math.max(1, columns - indent.length)
  const [first = "", ...rest] = Bun.wrapAnsi(line.slice(head.length), room, { hard: false, trim: true }).split("\n")
  return [head + first, ...rest.map((row) => indent + row)].join("\n")
}
