/** A session as JSON, in pieces: as one value would be written, but with few entries in memory at a time. */

import type { SessionRow } from "#ground/transcript/catalog.ts"
import type { StoredPiece } from "#ground/transcript/stored-log.ts"

/** `write` makes the text of a value, with two spaces of indentation. */
export function* jsonPieces(
  row: SessionRow,
  conversation: Iterable<StoredPiece>,
  more: object = {},
  write: (value: object) => string = (value) => JSON.stringify(value, null, 2),
): Generator<string> {
  yield `${write(row).replace(/\n\}$/, "")},\n  "entries": [`
  let isFirst = true
  for (const { entries } of conversation)
    for (const entry of entries) {
      yield `${isFirst ? "" : ","}\n    ${indented(write(entry), 4)}`
      isFirst = false
    }
  const rest = Object.keys(more).length === 0 ? "" : `,${write(more).slice(1, -2)}`
  yield `${isFirst ? "" : "\n  "}]${rest}\n}\n`
}

const indented = (text: string, by: number): string => text.replaceAll("\n", `\n${" ".repeat(by)}`)
