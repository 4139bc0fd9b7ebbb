/** A page of lines from a file of any size: only the page is kept in memory, never the file. */

import { readBytes } from "./read-bytes.ts"
import { shapeOf } from "./text.ts"

export interface LinePage {
  readonly lines: readonly string[]
  /** How many lines were counted; all of them when `isCounted`. */
  readonly totalLines: number
  readonly isCounted: boolean
}

export interface PageQuery {
  /** The first line, counted from 1. */
  readonly offset: number
  readonly limit: number
  /** How much of one line is kept; the rest is skipped. */
  readonly lineLimit: number
  /** How many bytes may be read beyond the page only to count the lines. */
  readonly countBytes: number
}

const chunkBytes = 1 << 18

/** Undefined when the file is binary. The caller checks the signal afterwards. */
export async function readPage(fd: number, query: PageQuery, signal: AbortSignal): Promise<LinePage | "binary"> {
  const chunk = Buffer.allocUnsafe(chunkBytes)
  const page = pageOf(query)
  let add: ((bytes: Buffer) => void) | undefined
  let position = 0
  let beyond = 0
  for (;;) {
    const bytesRead = await readBytes(fd, chunk, { from: 0, at: position })
    if (bytesRead === 0 || signal.aborted) break
    const bytes = chunk.subarray(0, bytesRead)
    if (add === undefined) {
      const shape = shapeOf(bytes, false)
      if (shape === undefined) return "binary"
      add = decodedInto(page, shape.encoding)
    }
    add(bytes)
    position += bytesRead
    if (page.isFull()) beyond += bytesRead
    if (beyond > query.countBytes) return page.end("stopped")
  }
  return page.end("all read")
}

/** Only what the page keeps becomes a string: of a huge file that is very little. */
function decodedInto(page: OpenPage, encoding: keyof typeof decoderNames): (bytes: Buffer) => void {
  const hasPlainLineEnds = encoding === "utf8" || encoding === "latin1"
  let decoder = new TextDecoder(decoderNames[encoding])
  return (bytes) => {
    let from = 0
    while (hasPlainLineEnds && page.isSkipping() && from < bytes.length) {
      const end = bytes.indexOf(newline, from)
      from = end === -1 ? bytes.length : end + 1
      page.skip(end === -1 ? "part of a line" : "to its end")
      // The next line begins with a whole character, whatever was skipped.
      decoder = new TextDecoder(decoderNames[encoding], { ignoreBOM: true })
    }
    if (from < bytes.length) page.add(decoder.decode(bytes.subarray(from), { stream: true }))
  }
}

const newline = 10

const decoderNames = { utf8: "utf-8", utf16le: "utf-16le", utf16be: "utf-16be", latin1: "latin1" } as const

type OpenPage = ReturnType<typeof pageOf>

function pageOf({ offset, limit, lineLimit }: PageQuery) {
  const lines: string[] = []
  /** The number of the current line, and what is kept of it. */
  let number = 1
  let open = ""
  let hasOpen = false

  const isWanted = (): boolean => number >= offset && number < offset + limit
  const addPart = (part: string): void => {
    hasOpen = true
    // One more than is shown, so that whoever cuts the line can see that there was more.
    if (isWanted() && open.length <= lineLimit) open += part.slice(0, lineLimit + 1 - open.length)
  }
  const endLine = (): void => {
    if (isWanted()) lines.push(open.endsWith("\r") ? open.slice(0, -1) : open)
    number++
    open = ""
    hasOpen = false
  }

  return {
    add(text: string): void {
      let from = 0
      for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", from)) {
        if (at > from && isWanted()) addPart(text.slice(from, at))
        endLine()
        from = at + 1
      }
      if (from < text.length) addPart(text.slice(from))
    },
    /** Nothing of the rest of this line is kept. */
    isSkipping: (): boolean => !isWanted() || open.length > lineLimit,
    skip(what: "part of a line" | "to its end"): void {
      hasOpen = true
      if (what === "to its end") endLine()
    },
    isFull: (): boolean => number >= offset + limit,
    end(how: "all read" | "stopped"): LinePage {
      if (hasOpen && how === "all read") endLine()
      return { lines, totalLines: number - 1, isCounted: how === "all read" }
    },
  }
}
