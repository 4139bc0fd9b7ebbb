/** Shows a PDF to the model: a short one as a document, pages of a longer one as text. */

import { basename } from "node:path"
import type { DocumentBlock } from "#agent/words/message.ts"
import { answered, type Outcome, refused } from "#agent/words/tool.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { openPdf, type Pdf } from "./pdf.ts"

/** Pages shown by default. */
const mostUnasked = 10
/** Pages that may be requested at once. */
const mostAsked = 20
/** 32 MB of base64, the limit of one request. */
const mostBytes = 24_000_000
const mostTokens = 25_000

/** The document, or the requested pages; undefined if the bytes are not a PDF. */
export async function readPdf(
  path: string,
  bytes: Buffer,
  pages: string | undefined,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  if (bytes.subarray(0, 1024).indexOf("%PDF-") === -1) return undefined
  // Opened even to be passed on whole: a provider that cannot open it refuses the whole conversation.
  const opened = await openPdf(bytes)
  if (!opened.ok) return refused(`${path} ${opened.failure}`)
  await using pdf = opened.value
  if (pages === undefined && pdf.pages > mostUnasked)
    return refused(
      `${path} has ${pdf.pages} pages; up to ${mostUnasked} are shown whole. Name those you need with pages, such as "1-${mostUnasked}"; ${mostAsked} at most a call.`,
    )
  if (pages === undefined && bytes.length <= mostBytes && !pdf.isEncrypted) return whole(path, bytes, pdf.pages)
  const range = pages === undefined ? ok({ first: 1, last: pdf.pages }) : rangeOf(pages, pdf.pages)
  if (!range.ok) return refused(`${path}: ${range.failure}`)
  // Awaited, as the document is closed on return.
  return await byPages(path, bytes.length, pdf, range.value, signal)
}

function whole(path: string, bytes: Buffer, pages: number): Outcome {
  const source = { type: "base64", media_type: "application/pdf", data: bytes.toString("base64") } as const
  const block: DocumentBlock = { type: "document", source, title: basename(path) }
  return answered([block], {
    display: { kind: "text", text: `PDF, ${pages} ${pages === 1 ? "page" : "pages"}` },
    data: { type: "pdf", file: { filePath: path, originalSize: bytes.length, totalPages: pages } },
  })
}

interface PageRange {
  readonly first: number
  readonly last: number
}

async function byPages(
  path: string,
  originalSize: number,
  pdf: Pdf,
  { first, last }: PageRange,
  signal: AbortSignal,
): Promise<Outcome> {
  const texts: string[] = []
  for (let page = first; page <= last; page++) {
    const text = await pdf.textOf(page)
    if (signal.aborted) return refused(`Interrupted before ${path} was done.`)
    texts.push(`[page ${page} of ${pdf.pages}]\n${text === "" ? "(no text on this page; it may be an image)" : text}`)
  }
  const shown = texts.join("\n\n")
  const tokens = estimateTokens(shown)
  // A single page cannot be split, so the general limit for results applies.
  if (tokens > mostTokens && last > first)
    return refused(
      `Pages ${first} to ${last} of ${path} are too long to show at once: about ${tokens} tokens, the limit is ${mostTokens}. Ask for fewer pages.`,
    )
  return answered(shown, {
    display: { kind: "text", text: first === last ? `PDF, page ${first}` : `PDF, pages ${first} to ${last}` },
    data: {
      type: "pdf",
      file: { filePath: path, originalSize, firstPage: first, lastPage: last, totalPages: pdf.pages },
    },
  })
}

function rangeOf(pages: string, total: number): Result<PageRange, string> {
  const [, from, to] = /^\s*(\d{1,9})\s*(?:-\s*(\d{1,9})\s*)?$/.exec(pages) ?? []
  const first = Number(from)
  const last = Math.min(to === undefined ? first : Number(to), total)
  if (from === undefined || first < 1 || (to !== undefined && Number(to) < first))
    return failed(`pages must be a page or a range, such as "3" or "1-5", not ${JSON.stringify(pages)}.`)
  if (first > total) return failed(`there is no page ${first}; it has ${total}.`)
  if (last - first >= mostAsked)
    return failed(`${last - first + 1} pages are too many at once. Ask for ${mostAsked} at most.`)
  return ok({ first, last })
}
