/** Text by its lines, as it streams: where a mark begins a line outside code fences. */

import type { Mark } from "./written-calls.ts"

export interface TextLines {
  /** How much of the text is only text, and the mark that follows it, if any. The rest waits for more. */
  readonly split: (buffered: string) => { readonly text: number; readonly mark?: Mark }
  /** Whether a piece can only be text: most are, and there are thousands. It counts as told. */
  readonly isPlain: (piece: string) => boolean
  /** Text that was told without being looked at. */
  readonly skip: (text: string) => void
}

/** Four spaces would be an indented example. */
const indent = /^ {0,3}/

export function openTextLines(marks: readonly Mark[]): TextLines {
  /** What can begin a mark or a fence, or stand before one. */
  const first = new Set(["`", "~", " ", ...marks.map(({ open }) => open[0] ?? "")])
  let isStart = true
  /** The characters that opened a code fence. */
  let fence = ""

  /** Undefined while it could still become a fence or a mark. */
  function lineBegin(rest: string): "text" | Mark | undefined {
    const line = rest.replace(indent, "")
    if (line === "") return rest.length > 3 ? "text" : undefined
    const run = /^(?:`{3,}|~{3,})/.exec(line)?.[0]
    if (run !== undefined) {
      if (run.length === line.length) return undefined
      if (fence === "") fence = run
      else if (run.startsWith(fence)) {
        // Only a line of nothing else closes it.
        const end = line.indexOf("\n")
        if (end === -1 && line.slice(run.length).trim() === "") return undefined
        if (line.slice(run.length, end === -1 ? undefined : end).trim() === "") fence = ""
      }
      return "text"
    }
    if ("```".startsWith(line) || "~~~".startsWith(line)) return undefined
    if (fence !== "") return "text"
    return (
      marks.find(({ open }) => line.startsWith(open)) ??
      (marks.some(({ open }) => open.startsWith(line)) ? undefined : "text")
    )
  }

  return {
    split(buffered) {
      let at = 0
      while (at < buffered.length) {
        if (isStart) {
          const begin = first.has(buffered[at] ?? "") ? lineBegin(buffered.slice(at)) : "text"
          if (begin === undefined) return { text: at }
          if (begin !== "text") return { text: buffered.indexOf(begin.open, at), mark: begin }
        }
        const next = buffered.indexOf("\n", at)
        isStart = next !== -1
        at = next === -1 ? buffered.length : next + 1
      }
      return { text: at }
    },
    isPlain: (piece) => !isStart && !piece.includes("\n"),
    skip(text) {
      isStart = text === "" ? isStart : text.endsWith("\n")
    },
  }
}
