/** Reads the lines ripgrep prints: `path NUL number : text` for a match, `-` instead of `:` for context, `--` between passages. */

export interface FoundLine {
  readonly kind: "match" | "context"
  readonly number: number
  readonly text: string
}

/** What was found in one file: passages of lines that lie together. */
export interface FoundIn {
  readonly path: string
  readonly passages: readonly (readonly FoundLine[])[]
}

export function passagesByFile(text: string): FoundIn[] {
  const files = new Map<string, FoundLine[][]>()
  let last = ""
  let isNewPassage = true
  for (const record of text.split("\n")) {
    const nul = record.indexOf("\0")
    if (nul === -1) {
      isNewPassage = true
      continue
    }
    const path = record.slice(0, nul)
    const line = foundLine(record.slice(nul + 1))
    if (line === undefined) continue
    const passages = files.get(path) ?? []
    if (passages.length === 0) files.set(path, passages)
    if (isNewPassage || path !== last || passages.length === 0) passages.push([])
    passages.at(-1)?.push(line)
    last = path
    isNewPassage = false
  }
  return [...files].map(([path, passages]) => ({ path, passages }))
}

function foundLine(record: string): FoundLine | undefined {
  const parts = /^(\d+)([:-])/.exec(record)
  if (parts === null) return undefined
  const [head, number = "", separator] = parts
  const text = record.slice(head.length)
  return {
    kind: separator === ":" ? "match" : "context",
    number: Number(number),
    text: text.endsWith("\r") ? text.slice(0, -1) : text,
  }
}
