/** Fitting text into columns, where a wide character takes two and a mark over a letter none. */

import { selfContained } from "./rows.ts"
import { styles } from "./style.ts"
import { graphemes } from "#lib/graphemes.ts"
import { headOf } from "#lib/wrap-words.ts"

export const widthOf = (text: string): number => Bun.stringWidth(text)

/** Breaks at spaces if there are any. */
export function wrapped(text: string, columns: number): string[] {
  return text
    .replaceAll("\t", "    ")
    .split("\n")
    .flatMap((line) => (widthOf(line) <= columns ? [line] : broken(line, columns)))
}

/** As `wrapped`; what continues a line stands below its text, beside a mark or a name at the left. */
export function wrappedBelow(text: string, columns: number): string[] {
  return text
    .replaceAll("\t", "    ")
    .split("\n")
    .flatMap((line) => {
      if (widthOf(line) <= columns) return [line]
      const head = headOf(line, columns)
      const indent = " ".repeat(widthOf(head))
      return wrapped(line.slice(head.length), columns - indent.length).map((row, i) => (i === 0 ? head : indent) + row)
    })
}

/** Composed characters, which the runtime would split at the end of a row. */
const composed = /\u200d|\ufe0f|\p{Emoji_Modifier}|\p{Regional_Indicator}|\p{M}/u

const leadingSpace = new RegExp(`^((?:${styles.source})*) `)

function broken(line: string, columns: number): string[] {
  if (composed.test(line)) return brokenByCharacter(line, columns)
  const rows = Bun.wrapAnsi(line, Math.max(2, columns), { hard: true, trim: false }).split("\n")
  // The runtime leaves colours out of 256 open. A space at the break belongs to neither row.
  return selfContained(rows).map((row, i) => fitted(i === 0 ? row : row.replace(leadingSpace, "$1"), columns))
}

/** After the last space that fits, or where the row is full. */
function brokenByCharacter(line: string, columns: number): string[] {
  const rows: string[] = []
  let row = ""
  let width = 0
  let space = 0
  for (const [i, part] of line.split(styles).entries()) {
    const isStyle = i % 2 === 1
    if (isStyle) {
      row += `\u001b[${part}m`
      continue
    }
    for (const { segment } of graphemes(part)) {
      const own = widthOf(segment)
      while (width > 0 && width + own > columns) {
        const keep = space > 0 ? row.slice(space) : ""
        rows.push(space > 0 ? row.slice(0, space) : row)
        row = keep
        width = widthOf(keep)
        space = 0
      }
      row += segment
      width += own
      if (segment === " ") space = row.length
    }
  }
  return selfContained([...rows, row])
}

/** What does not fit is replaced by a mark. */
export function fitted(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line
  const room = Math.max(0, columns - 1)
  const cut = Bun.sliceAnsi(line, 0, room)
  // A wide character that begins in the last column would stand over the edge.
  return `${widthOf(cut) <= room ? cut : Bun.sliceAnsi(line, 0, room - 1)}…`
}

/**
 * The second one is dropped if there is no room. Both are at the left: a terminal that gets narrower wraps what is at
 * its edge, and some then lose the cursor's place.
 */
export function beside(left: string, right: string, columns: number): string {
  if (right === "" || widthOf(left) + 3 + widthOf(right) > columns) return fitted(left, columns)
  return `${left}   ${right}`
}
