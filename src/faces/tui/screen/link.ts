/** Links that a terminal can open: addresses in a row, and files. Only http, https and file, and only as we write them. */

import { widthOf } from "./width.ts"

const address = /https?:\/\/[\w.~:/?#@!$&'*+,;=%()[\]-]+/g

/** A row whose addresses can be opened. An address that is cut off, by an edge or a mark, is left alone. */
export function withLinks(row: string, columns: number): string {
  // What was made a link already stays as it is.
  if (!row.includes("://") || row.includes("\u001b]8;")) return row
  return row.replaceAll(address, (found, at: number) => {
    const url = withoutTail(found)
    const after = row.slice(at + found.length)
    const isLast = Bun.stripANSI(after).trim() === ""
    if (after.startsWith("…") || (isLast && widthOf(row) >= columns - 1) || !URL.canParse(url)) return found
    return linked(url, url) + found.slice(url.length)
  })
}

/** A text that opens a file. */
export const fileLink = (shown: string, path: string): string =>
  linked(shown, `file://${path.toWellFormed().split("/").map(encodeURIComponent).join("/")}`)

/** Sentences end with marks that no address ends with. */
const withoutTail = (url: string): string => {
  const plain = url.replace(/[.,:;!?'*]+$/, "")
  return plain.endsWith(")") && !plain.includes("(") ? plain.slice(0, -1) : plain
}

// Addresses are matched, and paths encoded, as printable ASCII: no character of them can end the sequence.
const linked = (shown: string, url: string): string => `\u001b]8;;${url}\u001b\\${shown}\u001b]8;;\u001b\\`
