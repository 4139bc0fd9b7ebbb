/**
 * Parses ripgrep's lines: `path NUL number : text` for a match, `-` instead of `:` for context, `--` between passages.
 */

export interface FoundLine {
  readonly kind: "match" | "context"
  readonly number: number
  readonly text: string
}

/** `begins`: the line is the first of a passage. */
export type OnLine = (path: string, line: FoundLine, begins: boolean) => void

/** Takes the output piece by piece, each of whole lines. */
export function openLineReader(onLine: OnLine): (text: string) => void {
  let path = ""
  let isNewPassage = true
  return (text) => {
    for (let start = 0, end = text.indexOf("\n"); end !== -1; start = end + 1, end = text.indexOf("\n", start)) {
      const nul = text.indexOf("\0", start)
      if (nul === -1 || nul > end) {
        isNewPassage = true
        continue
      }
      // Searches may find very many lines; a path is taken out of the record only when it is another one.
      if (nul - start !== path.length || !text.startsWith(path, start)) {
        path = text.slice(start, nul)
        isNewPassage = true
      }
      const line = foundLine(text, nul + 1, end)
      if (line === undefined) continue
      onLine(path, line, isNewPassage)
      isNewPassage = false
    }
  }
}

function foundLine(text: string, from: number, to: number): FoundLine | undefined {
  let at = from
  let number = 0
  for (let code = text.charCodeAt(at); code >= 48 && code <= 57; code = text.charCodeAt(++at))
    number = number * 10 + code - 48
  const separator = text[at]
  if (at === from || (separator !== ":" && separator !== "-")) return undefined
  const end = text[to - 1] === "\r" ? to - 1 : to
  return { kind: separator === ":" ? "match" : "context", number, text: text.slice(at + 1, end) }
}
