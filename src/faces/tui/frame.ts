/** The live rows: what is still open, what is asked or written, and the line below. Pure: a state and a size give a frame. */

import { answersOf, bodyOf, hintOf } from "./dialogs/dialog.ts"
import { search } from "./editor/history.ts"
import { todoRows } from "./parts/display.ts"
import { editorRows, placeholder } from "./parts/editor.ts"
import { helpRows } from "./parts/help.ts"
import { itemRows } from "./parts/item.ts"
import { bared } from "./parts/safe.ts"
import { queueRows, spinnerRows, statusRow } from "./parts/status.ts"
import type { Frame, Size } from "./screen/screen.ts"
import { cyan, dim } from "./screen/style.ts"
import { fitted } from "./screen/width.ts"
import type { Status, TuiState } from "./state.ts"

type Live = Omit<Frame, "above">

/** At least this much of the screen shows the conversation. */
const leastRoom = 4
const mostTodos = 8

export function liveFrame(state: TuiState, status: Status, size: Size, now: number): Live {
  // One row stays free, so that the top of the live rows can always be reached.
  const height = Math.max(4, size.rows - 1)
  const bottom = state.dialog ? dialogBottom(state, size) : promptBottom(state, status, size)
  const middle = middleRows(state, size, now).slice(0, Math.max(0, height - bottom.rows.length - leastRoom))
  const room = Math.max(0, height - bottom.rows.length - middle.length)
  const open = state.view.items.flatMap((item) => itemRows(item, size.columns, "folded"))
  const shown = room === 0 ? [] : open.slice(-room)
  const rows = [...shown, ...middle, ...bottom.rows].slice(-height)
  const cursor = bottom.cursor && {
    row: Math.max(0, rows.length - bottom.rows.length + bottom.cursor.row),
    column: bottom.cursor.column,
  }
  return { live: rows, cursor }
}

function middleRows({ view, todos, dialog }: TuiState, { columns }: Size, now: number): string[] {
  const open = view.todos.some(({ status }) => status !== "completed")
  const list =
    todos === "shown" && open
      ? [
          "",
          ...todoRows(view.todos, columns - 2)
            .slice(0, mostTodos)
            .map(indent),
        ]
      : []
  // While a person is asked, it is the person one waits for.
  const spinner = dialog ? [] : spinnerRows(view, now, columns)
  return [...spinner, ...list, ...queueRows(view.queue, columns)]
}

const indent = (row: string): string => `  ${row}`

interface Bottom {
  readonly rows: readonly string[]
  readonly cursor: Frame["cursor"]
}

function dialogBottom({ dialog }: TuiState, { columns, rows: height }: Size): Bottom {
  if (!dialog) return { rows: [], cursor: undefined }
  const body = dialog.bodyAbove ? [dim("What it asks for is above.")] : bodyOf(dialog.state, columns - 2)
  const answers = answersOf(dialog.state, columns - 2)
  const bar = cyan("▌")
  const rows = [...body, "", ...answers].map((row) => (row === "" ? bar : `${bar} ${row}`))
  const all = ["", ...rows, "", fitted(dim(`  ${hintOf(dialog.state)}`), columns)]
  return { rows: all.slice(-(height - 1)), cursor: undefined }
}

/** Whether what is asked is too long to stand on the screen with its answers. */
export function isTooTall({ dialog }: TuiState, { columns, rows }: Size): boolean {
  if (!dialog || dialog.bodyAbove) return false
  return bodyOf(dialog.state, columns - 2).length + answersOf(dialog.state, columns - 2).length + 5 > rows - 1
}

function promptBottom(state: TuiState, status: Status, size: Size): Bottom {
  const { columns } = size
  const most = Math.max(1, Math.floor(size.rows / 2) - 2)
  const { rows, cursor } = editorRows(state.editor.buffer, columns, most)
  const isEmpty = state.editor.buffer.text === ""
  const words = state.view.working ? "Say something; it is heard as soon as it can be" : "What shall be done?"
  const prompt = isEmpty ? [fitted(placeholder(words), columns)] : rows
  const below = belowRows(state, columns).slice(0, Math.max(0, size.rows - prompt.length - 4))
  const right = state.hint ?? (isEmpty ? "? help" : "")
  return {
    rows: ["", ...prompt, ...below, statusRow(status, bared(right), columns)],
    cursor: { row: 1 + cursor.row, column: cursor.column },
  }
}

function belowRows({ help, search: searching, editor, completion }: TuiState, columns: number): string[] {
  if (searching) {
    const found = search(editor.history, searching.text, searching.skip)
    const first = found === undefined ? "nothing found" : bared(found.split("\n", 1)[0] ?? "")
    return [fitted(`  ${dim("search:")} ${bared(searching.text)}▏ ${dim(first)}`, columns)]
  }
  if (completion) {
    const { options, at } = completion
    const from = Math.max(0, Math.min(at - 3, options.length - 6))
    return options.slice(from, from + 6).map(({ text, about }, i) => {
      const row = `  ${bared(text)}${about === "" ? "" : `  ${bared(about)}`}`
      return fitted(from + i === at ? cyan(row) : dim(row), columns)
    })
  }
  return help === "shown" ? helpRows(columns) : []
}
