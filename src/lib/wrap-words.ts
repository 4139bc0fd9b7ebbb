/**
 * Lines of at most so many columns, broken between words; a word that is longer than a line is left whole. What
 * continues a line stands below its text, so that a mark or a name at the left stays alone.
 */
export const wrapWords = (text: string, columns: number): string =>
  text
    .split("\n")
    .map((line) => (Bun.stringWidth(line) <= columns ? line : hung(line, columns)))
    .join("\n")

function hung(line: string, columns: number): string {
  const [mark = ""] = /^\s*(?:\S+\s{2,})?/.exec(line) ?? []
  const head = Bun.stringWidth(mark) <= columns / 2 ? mark : (/^\s*/.exec(mark)?.[0] ?? "")
  const indent = " ".repeat(Bun.stringWidth(head))
  const room = Math.max(1, columns - indent.length)
  const [first = "", ...rest] = Bun.wrapAnsi(line.slice(head.length), room, { hard: false, trim: true }).split("\n")
  return [head + first, ...rest.map((row) => indent + row)].join("\n")
}
