/** How each kind of result is drawn, once for all tools. */

import type { Display } from "#agent/words/display.ts"
import type { Todo, TodoStatus } from "#agent/words/todo.ts"
import { sizeText, wholeNumber } from "#lib/figures.ts"
import { never } from "#lib/never.ts"
import { forConsent, forReading, forReview } from "#lib/printable.ts"
import { bold, dim, red } from "#faces/tui/screen/style.ts"
import { wrapped } from "#faces/tui/screen/width.ts"
import { diffRows } from "./diff.ts"
import { documentRows } from "./markdown.ts"

/** `brief`: folded, for whoever knows how to see the rest. */
export type Detail = "folded" | "brief" | "full"

const foldedLines = { head: 4, tail: 4, diff: 40 } as const
const mostRows = 50_000

export function displayRows(display: Display, columns: number, detail: Detail): string[] {
  switch (display.kind) {
    case "text":
      return folded(display.text, columns, detail)
    case "diff":
      return fileRows(display, columns, detail)
    case "diffs":
      return display.files.flatMap((file) => [bold(forConsent(file.path)), ...fileRows(file, columns, detail)])
    case "terminal": {
      const ended = display.exitCode === 0 || display.exitCode === null ? [] : [red(`exit code ${display.exitCode}`)]
      return [...folded(display.output, columns, detail, display.unshown), ...ended]
    }
    case "list": {
      const note = display.note === undefined ? [] : [dim(forConsent(display.note))]
      return [...folded(display.items.map(forConsent).join("\n"), columns, detail), ...note]
    }
    case "todos":
      return todoRows(display.todos, columns)
    case "plan":
      return [
        ...documentRows(display.text, columns),
        "",
        ...wrapped(forConsent(`Approved · ${display.path} · /plan edit to change it`), columns).map(dim),
      ]
    case "image":
      return [dim(`[image ${forConsent(display.path)}, ${sizeText(display.bytes)}]`)]
    default:
      return never(display)
  }
}

function fileRows(
  file: (Display & { kind: "diff" }) | Omit<Display & { kind: "diff" }, "kind">,
  columns: number,
  detail: Detail,
): string[] {
  const { rows, hidden } = diffRows(file, columns, detail === "full" ? mostRows : foldedLines.diff)
  return [...rows, ...(hidden > 0 ? [more(hidden, detail)] : [])]
}

/** The beginning and the end; only what is shown is laid out. */
export function folded(text: string, columns: number, detail: Detail, unshown = 0): string[] {
  const lines = text.trimEnd().split("\n")
  const { head, tail } = foldedLines
  // The line that says that some are missing is none of them.
  const missing = Math.max(0, unshown - 1)
  const safe = (some: readonly string[]): string[] =>
    some.flatMap((line) => wrapped(forReading(line).slice(0, detail === "full" ? 20_000 : columns * 3), columns))
  if (text.trim() === "") return [dim("(no output)")]
  if (detail === "full") {
    const left = lines.length - mostRows
    return [...safe(lines.slice(0, mostRows)), ...(left > 0 ? [dim(`… ${wholeNumber(left)} more lines`)] : [])]
  }
  if (lines.length <= head + tail + 1) return safe(lines)
  return [
    ...safe(lines.slice(0, head)),
    more(lines.length - head - tail + missing, detail),
    ...safe(lines.slice(-tail)),
  ]
}

const more = (lines: number, detail: Detail): string =>
  dim(`… ${wholeNumber(lines)} more lines${detail === "folded" ? " (Ctrl+O to view)" : ""}`)

export const todoMarks: { readonly [status in TodoStatus]: string } = { pending: "☐", in_progress: "◐", completed: "☑" }

export function todoRows(todos: readonly Todo[], columns: number): string[] {
  return todos.flatMap(({ content, activeForm, status }) => {
    const text = forReview(status === "in_progress" ? activeForm : content).replaceAll("\n", " ")
    const style = status === "completed" ? dim : status === "in_progress" ? bold : String
    return wrapped(text, columns - 2).map((row, i) => style(`${i === 0 ? todoMarks[status] : " "} ${row}`))
  })
}
