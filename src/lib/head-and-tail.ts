/** Keeps the start and the end of a long text, with a note between them that says what was left out. */

/**
 * At most `limit` characters (without the note), half from the start of `head` and half from the end of `tail`, cut
 * at nearby line ends where possible.
 */
export function headAndTail(head: string, tail: string, limit: number, note: string): string {
  const half = Math.floor(limit / 2)
  return `${beginning(head, half)}\n${note}\n${ending(tail, half)}`
}

function beginning(text: string, most: number): string {
  if (text.length <= most) return text
  const lineEnd = text.lastIndexOf("\n", most)
  // A line end in the last tenth is near enough; otherwise one long line would cost everything.
  if (lineEnd >= most * 0.9) return text.slice(0, lineEnd)
  return text.slice(0, isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most)
}

function ending(text: string, most: number): string {
  if (text.length <= most) return text
  const start = text.length - most
  const lineEnd = text.indexOf("\n", start)
  if (lineEnd !== -1 && lineEnd - start <= most * 0.1) return text.slice(lineEnd + 1)
  return text.slice(isHighSurrogate(text.charCodeAt(start - 1)) ? start + 1 : start)
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
