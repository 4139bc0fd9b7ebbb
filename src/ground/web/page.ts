/** A document as a readable page: HTML as Markdown, everything else as its text. */

import { readableOutput } from "#lib/readable-output.ts"
import type { Download } from "./download.ts"
import { textOf } from "./media.ts"

export interface Page {
  /** After redirects. */
  readonly url: string
  readonly status: number
  readonly statusText: string
  readonly mediaType: string
  /** Empty when it has none. */
  readonly title: string
  /** Markdown for HTML, else the text as it is. */
  readonly text: string
  /** There is more than `text` contains. */
  readonly isCut: boolean
  readonly bytes: number
  readonly note?: string
}

export async function pageOf(
  { address, status, statusText, media, kind, bytes }: Download,
  most: number,
): Promise<Page> {
  const source = textOf(bytes, media)
  const { title, text, isCut } =
    kind === "html" ? await readHtml(source, address.url) : { title: "", text: source, isCut: false }
  const whole = text.trim()
  return {
    url: address.url,
    status,
    statusText: readableOutput(statusText.slice(0, 100)),
    mediaType: media.type,
    title: readableOutput(title),
    text: readableOutput(cut(whole, most)),
    isCut: isCut || whole.length > most,
    bytes: bytes.length,
    ...(address.note !== undefined && { note: address.note }),
  }
}

async function readHtml(source: string, url: string): Promise<Pick<Page, "title" | "text" | "isCut">> {
  const { toMarkdown } = await import("./markdown.ts")
  const { title, markdown, isCut } = await toMarkdown(source, url)
  return { title, text: markdown, isCut }
}

/** Never in the middle of a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const isSplit = /[\ud800-\udbff]/.test(text[most - 1] ?? "")
  return text.slice(0, isSplit ? most - 1 : most)
}
