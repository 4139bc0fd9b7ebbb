/** Numbered lines for the model: the number right-aligned, a tab, the text. */

const longestLine = 2000

/** Numbers lines starting at `first`; very long ones are cut with a note. */
export function numbered(lines: readonly string[], first: number): string {
  const width = String(first + lines.length - 1).length
  const shown = (line: string, i: number): string =>
    `${String(first + i).padStart(width)}\t${line.length > longestLine ? cut(line) : line}`
  return lines.map(shown).join("\n")
}

/** Without line endings; a trailing line break does not make another line. */
export function linesOf(text: string): string[] {
  if (text === "") return []
  const lines = text.split("\n")
  if (lines.at(-1) === "") lines.pop()
  return text.includes("\r") ? lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line)) : lines
}

const cut = (line: string): string => `${line.slice(0, longestLine)}… [line cut at ${longestLine} characters]`

/** How much of a line must be read to see that it is too long. */
export const lineLimit: number = longestLine

/** A negative offset counts from the end, and stops at the beginning. */
export const firstLine = ({ offset }: { readonly offset: number }, total: number): number =>
  offset < 0 ? Math.max(1, total + offset + 1) : offset
