/** A notebook as cells: how they are found and shown to the model. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { readableOutput } from "#lib/readable-output.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface Notebook {
  readonly cells: readonly JsonObject[]
  /** The format, such as 4 and 5 for 4.5. */
  readonly major: number
  readonly minor: number
}

/** Undefined if the text is not a notebook. */
export function parseNotebook(text: string): Notebook | undefined {
  try {
    const notebook: JsonValue = JSON.parse(text)
    if (!isObject(notebook) || !Array.isArray(notebook.cells) || !notebook.cells.every(isObject)) return undefined
    const { nbformat: major, nbformat_minor: minor } = notebook
    return {
      cells: notebook.cells,
      major: typeof major === "number" ? major : 4,
      minor: typeof minor === "number" ? minor : 0,
    }
  } catch {
    return undefined
  }
}

/** Finds a cell by its id or its number, counted from 0. Old notebooks have no ids, so a number works as one. */
export function findCell(cells: readonly JsonObject[], id: string): Result<number, string> {
  const index = cells.findIndex((cell) => cell.id === id)
  if (index !== -1) return ok(index)
  const number = /^(?:cell[- ]?)?(\d+)$/.exec(id)?.[1]
  return number !== undefined && Number(number) < cells.length
    ? ok(Number(number))
    : failed(`There is no cell ${JSON.stringify(id)}. ${listCells(cells)}`)
}

const mostListed = 60

/** The cells by number, id and type, for a call that named a missing one. */
export function listCells(cells: readonly JsonObject[]): string {
  if (cells.length === 0) return "The notebook has no cells."
  const shown = cells
    .slice(0, mostListed)
    .map((cell, index) => `${index} (${[...idOf(cell), typeOf(cell)].join(", ")})`)
  const rest = cells.length - shown.length
  return `The cells are: ${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}.`
}

const idOf = (cell: JsonObject): readonly string[] => (typeof cell.id === "string" ? [`id ${cell.id}`] : [])
const typeOf = (cell: JsonObject): string => String(cell.cell_type)

export function nameCell(cell: JsonObject, index: number): string {
  return [`cell ${index}`, ...idOf(cell).map((id) => `(${id})`)].join(" ")
}

export function showCell(cell: JsonObject, index: number): string {
  const outputs = Array.isArray(cell.outputs) ? cell.outputs.filter(isObject).map(showOutput) : []
  const head = `[${["cell", index, ...idOf(cell)].join(" ")}: ${typeOf(cell)}]`
  return [head, sourceOf(cell), ...outputs.map((output) => `[output]\n${output}`)].join("\n")
}

export const sourceOf = (cell: JsonObject): string => joined(cell.source)

function showOutput(output: JsonObject): string {
  if (output.output_type === "error")
    return cut(readableOutput(joined(output.traceback, "\n") || `${String(output.ename)}: ${String(output.evalue)}`))
  if (output.text !== undefined) return cut(readableOutput(joined(output.text)))
  if (!isObject(output.data)) return ""
  const plain = output.data["text/plain"]
  const others = Object.keys(output.data).filter((type) => type !== "text/plain")
  const note = others.length > 0 ? `(also as ${others.join(", ")})` : ""
  return [plain === undefined ? "" : cut(joined(plain)), note].filter((part) => part !== "").join("\n")
}

/** Notebooks store text as one string or as a list of lines. */
function joined(value: JsonValue | undefined, between = ""): string {
  if (typeof value === "string") return value
  return Array.isArray(value) ? value.map(String).join(between) : ""
}

const longestOutput = 4000

function cut(text: string): string {
  const trimmed = text.trimEnd()
  if (trimmed.length <= longestOutput) return trimmed
  return `${trimmed.slice(0, longestOutput)}\n[output cut: ${trimmed.length} characters]`
}
