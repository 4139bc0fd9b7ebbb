/** Cuts a growing Markdown text into pieces that stay as they are whatever follows, so that each is drawn once. */

export interface MarkdownPiece {
  readonly markdown: string
  /** How it follows the previous piece: after an empty line, on the next line, or in the same code block. */
  readonly joint: "apart" | "next" | "code"
  /** Whether its last code block continues in the next piece. */
  readonly openCode: boolean
  /** The preceding lines of the same code block: a comment or string may start there. */
  readonly before?: string
}

export interface Cut {
  readonly settled: readonly MarkdownPiece[]
  readonly open: MarkdownPiece
}

export const nothing: MarkdownPiece = { markdown: "", joint: "apart", openCode: false }

/** Code is cut after this many lines. */
const mostCodeLines = 8
/** Comments and strings in code are seldom longer. */
const mostBefore = 8000
/** Likewise lists, and lines without a gap. */
const mostLines = 12
/** A cut table loses its header, so it may grow longer. */
const mostTableLines = 200
/** A longer line is cut at a space. */
const mostCharacters = 2000

/** The pieces are the same however the text is split. */
export function grow(open: MarkdownPiece, text: string): Cut {
  if (staysWhole(open, text)) return { settled: [], open: { ...open, markdown: open.markdown + text } }
  const settled: MarkdownPiece[] = []
  let rest: MarkdownPiece = { ...open, markdown: open.markdown + text }
  for (let cut = cutOnce(rest); cut; cut = cutOnce(rest)) {
    settled.push(cut.piece)
    rest = cut.rest
  }
  return { settled, open: rest }
}

/** Most texts continue a line that has begun, and nothing is cut there before it is too long. */
function staysWhole({ markdown }: MarkdownPiece, text: string): boolean {
  const isWithinLine = markdown !== "" && !markdown.endsWith("\n") && !text.includes("\n")
  return isWithinLine && markdown.length + text.length <= mostCharacters
}

interface Once {
  readonly piece: MarkdownPiece
  readonly rest: MarkdownPiece
}

const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/
const listItem = /^(?:[-*+]|\d{1,9}[.)])[ \t]/

function cutOnce(piece: MarkdownPiece): Once | undefined {
  const { markdown } = piece
  let code: { readonly mark: string; readonly opener: string; readonly lines: number } | undefined
  let lines = 0
  let blankBefore = false
  for (let at = 0; at < markdown.length;) {
    const end = markdown.indexOf("\n", at)
    const first = markdown[at]
    // What stands after a gap begins a new block, unless it is indented and so belongs to a list.
    if (!code && blankBefore && lines > 0 && first !== "\n" && first !== " " && first !== "\t")
      return split(piece, at, "apart")
    const long = code ? undefined : cutLine(piece, at, end === -1 ? markdown.length : end)
    if (long || end === -1) return long
    const line = markdown.slice(at, end)
    const opened = fence.exec(line)
    if (code) {
      if (isCloser(line, code.mark)) code = undefined
      else if (code.lines + 1 >= mostCodeLines) return splitCode(piece, end + 1, code)
      else code = { ...code, lines: code.lines + 1 }
    } else if (opened?.[1] !== undefined) {
      if (lines > 0 && !line.startsWith(" ")) return split(piece, at, blankBefore ? "apart" : "next")
      if (!line.startsWith(" ")) code = { mark: opened[1], opener: line, lines: 0 }
    } else if (line.trim() !== "" && !line.startsWith(" ") && lines >= limit(line, markdown)) {
      return split(piece, at, "next")
    }
    blankBefore = !code && line.trim() === ""
    if (!blankBefore) lines++
    at = end + 1
  }
  return undefined
}

function limit(line: string, markdown: string): number {
  if (line.startsWith("|")) return mostTableLines
  return listItem.test(markdown) && !listItem.test(line) ? mostTableLines : mostLines
}

const isCloser = (line: string, mark: string): boolean =>
  line.trim().startsWith(mark) && line.trim().replaceAll(mark[0] ?? "", "") === ""

function split({ markdown, joint, before }: MarkdownPiece, at: number, next: MarkdownPiece["joint"]): Once {
  return {
    piece: { markdown: markdown.slice(0, at), joint, openCode: false, ...(before !== undefined && { before }) },
    rest: { markdown: markdown.slice(at), joint: next, openCode: false },
  }
}

/** Both halves are complete code blocks; drawing leaves out the fence between them. */
function splitCode(
  { markdown, joint, before = "" }: MarkdownPiece,
  at: number,
  { mark, opener }: { readonly mark: string; readonly opener: string },
): Once {
  const lines = markdown.slice(markdown.indexOf("\n") + 1, at)
  return {
    piece: { markdown: `${markdown.slice(0, at)}${mark}\n`, joint, openCode: true, ...(before !== "" && { before }) },
    rest: {
      markdown: `${opener}\n${markdown.slice(at)}`,
      joint: "code",
      openCode: false,
      before: (before + lines).slice(-mostBefore),
    },
  }
}

function cutLine(piece: MarkdownPiece, at: number, end: number): Once | undefined {
  if (end - at <= mostCharacters) return undefined
  const space = piece.markdown.lastIndexOf(" ", at + mostCharacters)
  const where = space > at ? space + 1 : wholeCharacter(piece.markdown, at + mostCharacters)
  return split(piece, where, "next")
}

const wholeCharacter = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
