/** Changes one cell of a notebook: tried first, then carried out. Loaded with the first notebook. */

import type { Display } from "#agent/words/display.ts"
import { answered, type Outcome } from "#agent/words/tool.ts"
import { say } from "#ground/workspace/failure.ts"
import type { Place } from "#ground/workspace/places.ts"
import { hunksOf } from "#lib/diff.ts"
import type { Ids } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { refusedFile } from "./complaint.ts"
import { type CurrentFile, currentFile, writeText } from "./current-file.ts"
import { sayMissing } from "./edit-plan.ts"
import { findCell, listCells, nameCell, type Notebook, parseNotebook, sourceOf } from "./notebook.ts"
import { cellTypes, type NotebookEditGround, type NotebookEditInput } from "./notebook-call.ts"
import { type CellChange, changeCell } from "./notebook-text.ts"

interface PreparedChange {
  readonly place: Place
  readonly file: CurrentFile
  readonly cells: readonly JsonObject[]
  readonly change: CellChange
}

export async function prepare(
  ground: NotebookEditGround,
  call: NotebookEditInput,
  signal: AbortSignal,
): Promise<Result<PreparedChange, string>> {
  const place = ground.places.of(call, call.notebook_path)
  if (!place.ok) return failed(say(place.failure))
  const { path, real } = place.value
  const file = await currentFile(ground, real, signal)
  if (!file.ok) return failed(say(file.failure))
  if (file.value === "absent") return failed(sayMissing(ground, real))
  const notebook = parseNotebook(file.value.text)
  if (notebook === undefined) return failed(`${path} is not a notebook: its text is no JSON with cells. Use Edit.`)
  if (notebook.major < 4)
    return failed(
      `${path} is a notebook of format ${notebook.major}. Convert it first: jupyter nbconvert --to notebook.`,
    )
  const change = changeOf(ground, call, notebook)
  return change.ok ? ok({ place: place.value, file: file.value, cells: notebook.cells, change: change.value }) : change
}

function changeOf(
  { ids }: NotebookEditGround,
  call: NotebookEditInput,
  notebook: Notebook,
): Result<CellChange, string> {
  const { edit_mode: kind, new_source: source } = call
  const { cells } = notebook
  const named = namedCell(call, cells)
  if (!named.ok) return named
  const at = named.value
  if (kind !== "insert" && at === undefined)
    return failed(`Name the cell to ${kind} with cell_id or cell_number. ${listCells(cells)}`)
  if (kind === "delete") return ok({ kind, at: at ?? 0 })
  if (source === undefined) return failed(`new_source is missing: give the source of the cell to ${kind}.`)
  if (kind === "insert") {
    const cell = { type: call.cell_type ?? "code", source, ...idFor(notebook, ids) }
    return ok({ kind, after: at ?? -1, cell })
  }
  const old = cells[at ?? 0] ?? {}
  const type = call.cell_type ?? cellTypes.find((one) => one === old.cell_type) ?? "code"
  if (sourceOf(old) === source && old.cell_type === type)
    return failed(`${nameCell(old, at ?? 0)} has that source already, so nothing would change.`)
  return ok({ kind, at: at ?? 0, cell: { type, source, ...(old.id === undefined && idFor(notebook, ids)) } })
}

function namedCell(
  { cell_id, cell_number }: NotebookEditInput,
  cells: readonly JsonObject[],
): Result<number | undefined, string> {
  if (cell_number !== undefined && cell_number >= cells.length)
    return failed(`There is no cell ${cell_number}. ${listCells(cells)}`)
  if (cell_id === undefined) return ok(cell_number)
  const found = findCell(cells, cell_id)
  if (found.ok && cell_number !== undefined && found.value !== cell_number)
    return failed(`cell_id and cell_number name two cells: ${cell_id} is cell ${found.value}. Give one of them.`)
  return found
}

/** Ids came with format 4.5; before that they are invalid. */
function idFor({ major, minor, cells }: Notebook, ids: Ids): { readonly id?: string } {
  if (major === 4 && minor < 5) return {}
  for (;;) {
    const id = ids.uuid().slice(0, 8)
    if (cells.every((cell) => cell.id !== id)) return { id }
  }
}

export async function carryOut(
  ground: NotebookEditGround,
  call: NotebookEditInput,
  { place, file, cells, change }: PreparedChange,
  signal: AbortSignal,
): Promise<Outcome> {
  const text = changeCell(file.text, cells, change)
  const written = await writeText(ground, { real: place.real, text, shape: file, over: file.identity }, signal)
  if (!written.ok) return refusedFile(written.failure)
  const index = change.kind === "insert" ? change.after + 1 : change.at
  const old = change.kind === "insert" ? {} : (cells[index] ?? {})
  const cell = change.kind === "delete" ? old : (parseNotebook(text)?.cells[index] ?? {})
  const { before, after } = sourcesOf(cells, change)
  return answered(words(place.path, nameCell(cell, index), change, old), {
    display: await drawn({ place, cells, change }),
    data: {
      filePath: place.path,
      editMode: call.edit_mode,
      cellNumber: index,
      cellId: cell.id ?? null,
      cellType: cell.cell_type ?? null,
      oldSource: before,
      newSource: after,
    },
  })
}

/** The diff of the cell's source: that of the file would be full of outputs. */
export async function drawn({
  place,
  cells,
  change,
}: Pick<PreparedChange, "place" | "cells" | "change">): Promise<Display> {
  const { before, after } = sourcesOf(cells, change)
  return { kind: "diff", path: place.path, hunks: await hunksOf(before, after), created: false }
}

function sourcesOf(
  cells: readonly JsonObject[],
  change: CellChange,
): { readonly before: string; readonly after: string } {
  return {
    before: change.kind === "insert" ? sourceOf({}) : sourceOf(cells[change.at] ?? {}),
    after: change.kind === "delete" ? "" : change.cell.source,
  }
}

function words(path: string, name: string, change: CellChange, old: JsonObject): string {
  switch (change.kind) {
    case "replace": {
      const hadOutputs = Array.isArray(old.outputs) && old.outputs.length > 0
      return `Replaced ${name} in ${path}.${hadOutputs ? " Its outputs are cleared; they were of the old source." : ""}`
    }
    case "insert":
      return `Inserted a ${change.cell.type} cell as ${name} in ${path}. The cells after it count one higher now.`
    case "delete":
      return `Deleted ${name} from ${path}. The cells after it count one lower now.`
  }
}
