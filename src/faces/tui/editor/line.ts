/** What a line is meant for: a prompt, a command of the user's own, or a note to keep. */

export type LineKind = "prompt" | "shell" | "memory"

const shellMark = "!"
const noteMark = "#"

/** The mark identifies the kind; a prompt that starts like a mark gets a space before it. */
export function markedLine(kind: LineKind, text: string): string {
  if (kind === "prompt") return /^[!#]/.test(text) ? ` ${text}` : text
  return (kind === "shell" ? shellMark : noteMark) + text
}

export function readLine(line: string): { readonly kind: LineKind; readonly text: string } {
  if (line.startsWith(shellMark)) return { kind: "shell", text: line.slice(1) }
  if (line.startsWith(noteMark)) return { kind: "memory", text: line.slice(1) }
  return { kind: "prompt", text: /^ [!#]/.test(line) ? line.slice(1) : line }
}
