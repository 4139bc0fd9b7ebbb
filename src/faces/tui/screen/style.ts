/** Colours and weights, as the sequences that terminals know; a theme says what the colours become. */

import { controls } from "#lib/printable.ts"

// oxlint-disable-next-line no-control-regex -- styles are control sequences.
export const styles: Readonly<RegExp> = /\u001b\[([\d;:]*)m/g

const wrap =
  (on: number, off: number) =>
  (text: string): string =>
    text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`

export const bold: (text: string) => string = wrap(1, 22)
export const dim: (text: string) => string = wrap(2, 22)
export const italic: (text: string) => string = wrap(3, 23)
export const inverse: (text: string) => string = wrap(7, 27)
export const red: (text: string) => string = wrap(31, 39)
export const green: (text: string) => string = wrap(32, 39)
export const yellow: (text: string) => string = wrap(33, 39)
export const blue: (text: string) => string = wrap(34, 39)
/** The theme chooses the colour. */
export const code = (text: string): string => (text === "" ? "" : `\u001b[38;5;215m${text}\u001b[39m`)
export const magenta: (text: string) => string = wrap(35, 39)
export const cyan: (text: string) => string = wrap(36, 39)

/** Backgrounds of changed lines and of the words that changed in them. The theme chooses the colours. */
export interface Tint {
  readonly line: string
  readonly word: string
}

const background = (number: number): string => `\u001b[48;5;${number}m`

export const addedTint: Tint = { line: background(22), word: background(28) }
export const removedTint: Tint = { line: background(52), word: background(88) }

/** Behind the whole row, up to the edge of the terminal: erasing leaves nothing that a copy would bring along. */
export const tintedRow = (row: string, tint: Tint): string => `${onTint(row, tint)}${tint.line}${eraseToEdge}\u001b[49m`

/** Behind a text of this row only. */
export const tinted = (text: string, tint: Tint): string => `${onTint(text, tint)}\u001b[49m`

/** A part that ends its own background is followed by that of the line. */
const onTint = (text: string, { line }: Tint): string => line + text.replaceAll("\u001b[49m", line)

/** Words in a themed row; some themes show them inverse or underlined. */
export const tintedWord = (text: string, { line, word }: Tint): string =>
  text === "" ? "" : `${word}${text}\u001b[24;27m${line}`

/** Whether a row shows a line that was changed. */
export const isTinted = (row: string): boolean => row.includes(addedTint.line) || row.includes(removedTint.line)

export const eraseToEdge = "\u001b[K"

/** The colour names of agent definitions; others leave the text unchanged. */
export function colourNamed(name: string | undefined): (text: string) => string {
  switch (name) {
    case "red":
      return red
    case "green":
      return green
    case "yellow":
    case "orange":
      return yellow
    case "purple":
    case "pink":
    case "magenta":
      return magenta
    case "blue":
      return blue
    case "cyan":
      return cyan
    default:
      return String
  }
}

const styleOrControl = new RegExp(`${styles.source}|${controls.source}`, "gv")

/** Removes every sequence and control character but colours and weights, from rendered foreign text. */
export function onlyStyles(text: string): string {
  return text.replace(styleOrControl, (found) => (found.length > 1 ? found : ""))
}
