/**
 * Parses ripgrep's lines: `path NUL number : text` for a match, `-` instead of `:` for context, `--` between passages.
 */

export interface FoundLine {
  readonly kind: "match" | "context"
  readonly number: number
  readonly text: string
}

export interface FoundIn {
  readonly path: string
  readonly passages: readonly (readonly FoundLine[])[]
}

export function passagesByFile(text: string): FoundIn[] {
  const files = new Map<string, FoundLine[][]>()
  let path = ""
  let passages: FoundLine[][] = []
  let isNewPassage = true
  for (const record of text.split("\n")) {
    const nul = record.indexOf("\0")
    if (nul === -1) {
      isNewPassage = true
      continue
    }
    // Searches may find very many lines; a path is taken out of the record only when it is another one.
    if (nul !== path.length || !record.startsWith(path)) {
      path = record.slice(0, nul)
      passages = files.get(path) ?? []
      files.set(path, passages)
      isNewPassage = true
    }
    const line = foundLine(record, nul + 1)
    if (line === undefined) continue
    if (isNewPassage) passages.push([line])
    else passages.at(-1)?.push(line)
    isNewPassage = false
  }
  return [...files].map(([file, found]) => ({ path: file, passages: found }))
}

function foundLine(record: string, from: number): FoundLine | undefined {
  let at = from
  let number = 0
  for (let code = record.charCodeAt(at); code >= 48 && code <= 57; code = record.charCodeAt(++at))
    number = number * 10 + code - 48
  const separator = record[at]
  if (at === from || (separator !== ":" && separator !== "-")) return undefined
  const end = record.endsWith("\r") ? record.length - 1 : record.length
  return { kind: separator === ":" ? "match" : "context", number, text: record.slice(at + 1, end) }
}
