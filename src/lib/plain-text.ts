/** Text from others as the model may read it: visible characters only. */

/**
 * Keeps letters, marks, digits, punctuation, symbols, spaces and line ends. Escape sequences and invisible characters
 * are removed.
 */
export function plainText(text: string): string {
  return Bun.stripANSI(text.toWellFormed())
    .replace(lineEnds, "\n")
    .replace(/\p{Zs}/gu, " ")
    .replace(unseen, "")
}

/** Like `plainText`, for a value that is passed on: its line ends and spaces stay as they are. */
export const plainValue = (text: string): string => Bun.stripANSI(text.toWellFormed()).replace(unseenInValues, "")

const lineEnds = /\r\n?|[\v\f\u0085\u2028\u2029]/g
// Invisible by their own account are also letters, such as fillers, and marks, such as those that choose variants.
const unseen = /[^\p{L}\p{M}\p{N}\p{P}\p{S} \n\t]|\p{Default_Ignorable_Code_Point}/gu
const unseenInValues = /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\n\r\t]|\p{Default_Ignorable_Code_Point}/gu

export const cutText = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`
