/** Shows a short PDF file to the model as a document. */

import { inflateSync } from "node:zlib"
import type { DocumentBlock } from "#agent/words/message.ts"
import { answered, type Outcome, refused } from "#agent/words/tool.ts"
import { basename } from "node:path"

const mostPages = 10
/** 32 MB of base64, which is all that fits into one request. */
const mostBytes = 24_000_000

/** The document as a result; nothing when the bytes are no PDF. */
export function readPdf(path: string, bytes: Buffer): Outcome | undefined {
  if (bytes.subarray(0, 1024).indexOf("%PDF-") === -1) return undefined
  if (bytes.length > mostBytes)
    return refused(`${path} is too large to show (${Math.round(bytes.length / 1e6)} MB). ${takeText(path)}`)
  const pages = countPages(bytes)
  if (pages > mostPages)
    return refused(`${path} has ${pages} pages; at most ${mostPages} can be shown at once. ${takeText(path)}`)
  const source = { type: "base64", media_type: "application/pdf", data: bytes.toString("base64") } as const
  const block: DocumentBlock = { type: "document", source, title: basename(path) }
  return answered([block], {
    display: { kind: "text", text: pages > 0 ? `PDF, ${pages} pages` : "PDF" },
    data: { type: "pdf", file: { filePath: path, originalSize: bytes.length } },
  })
}

const takeText = (path: string): string => `Take the text of some pages through Bash: pdftotext -f 1 -l 10 '${path}' -`

/** How many pages there are; 0 when it cannot be told. Newer files keep the page objects in compressed streams. */
export function countPages(bytes: Buffer): number {
  const source = bytes.toString("latin1")
  let count = pagesIn(source)
  for (const { 0: head, index } of source.matchAll(/\/ObjStm[^]{0,400}?stream\r?\n/g)) {
    const start = index + head.length
    const end = source.indexOf("endstream", start)
    if (end === -1) break
    count += pagesIn(inflated(bytes.subarray(start, end)))
  }
  return count
}

const pagesIn = (source: string): number => source.match(/\/Type\s*\/Page(?![A-Za-z])/g)?.length ?? 0

function inflated(bytes: Buffer): string {
  try {
    return inflateSync(bytes, { maxOutputLength: 16_000_000 }).toString("latin1")
  } catch {
    return ""
  }
}
