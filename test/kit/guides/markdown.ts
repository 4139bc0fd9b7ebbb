/** The parts of a guide that name something of the program: fenced blocks, and code inside sentences. */

export interface Block {
  readonly path: string
  /** The line of its opening fence, from 1. */
  readonly line: number
  /** The first word after the fence. */
  readonly language: string
  /** The word after that: what is done with the block, or why it is not run. */
  readonly mark: string
  /** The word after that: the file that the block is. */
  readonly file: string | undefined
  readonly text: string
}

export interface Span {
  readonly path: string
  readonly line: number
  readonly text: string
}

export interface Guide {
  readonly path: string
  readonly blocks: readonly Block[]
  readonly spans: readonly Span[]
}

/** Products whose names head a column of tables in the guides for people who come from them; what is in it is theirs. */
const products = new Set(["Claude Code", "Codex", "opencode", "Gemini CLI", "aider"])

export function readGuide(path: string, text: string): Guide {
  const blocks: Block[] = []
  const spans: Span[] = []
  let open: { readonly line: number; readonly info: string; readonly lines: string[] } | undefined
  let isForeignTable = false
  for (const [at, line] of text.split("\n").entries()) {
    const fence = /^ *```(.*)$/.exec(line)
    if (fence && open) {
      const [language = "", mark = "", file] = open.info.split(" ")
      blocks.push({ path, line: open.line, language, mark, file, text: open.lines.join("\n") })
      open = undefined
    } else if (fence) open = { line: at + 1, info: fence[1]?.trim() ?? "", lines: [] }
    else if (open) open.lines.push(line)
    else {
      const isRow = line.startsWith("|")
      if (!isRow) isForeignTable = false
      else if (products.has(firstCell(line).trim())) isForeignTable = true
      const read = isRow && isForeignTable ? line.slice(firstCell(line).length + 1) : line
      for (const [, code = ""] of read.matchAll(/(?<!`)`([^`]+)`(?!`)/g)) spans.push({ path, line: at + 1, text: code })
    }
  }
  if (open) throw new Error(`${path}:${open.line}: the block is never closed`)
  return { path, blocks, spans }
}

/** Up to the first bar that is not escaped, and not inside code. */
const firstCell = (row: string): string => /^\|((?:`[^`]*`|\\\||[^|])*)/.exec(row)?.[1] ?? ""
