/** Shows a notebook as its cells, one after the other, with what they printed. */

import { answered, type Outcome, refused } from "#agent/words/tool.ts"
import type { LineRange } from "#ground/workspace/stamps.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { readableOutput } from "#lib/readable-output.ts"
import { estimateTokens } from "#lib/tokens.ts"

const mostTokens = 25_000
const longestOutput = 4000

/** The cells as a result; nothing when the bytes are no notebook. `range` counts lines of what is shown. */
export function readNotebook(path: string, bytes: Buffer, range: LineRange): Outcome | undefined {
  const cells = cellsOf(bytes.toString("utf8"))
  if (cells === undefined) return undefined
  if (cells.length === 0) return answered(`${path} is a notebook without cells.`)
  const all = cells.map(showCell).join("\n\n").split("\n")
  const from = range.offset - 1
  const shown = all.slice(from, range.limit === undefined ? undefined : from + range.limit).join("\n")
  if (estimateTokens(shown) > mostTokens)
    return refused(
      `The notebook ${path} is too long to show at once: ${all.length} lines as cells. Read part of it with offset and limit.`,
    )
  return answered(shown, {
    display: { kind: "text", text: `${cells.length} cells` },
    data: { type: "notebook", file: { filePath: path, cells } },
  })
}

function cellsOf(text: string): readonly JsonObject[] | undefined {
  try {
    const notebook: JsonValue = JSON.parse(text)
    if (!isObject(notebook) || !Array.isArray(notebook.cells)) return undefined
    return notebook.cells.filter(isObject)
  } catch {
    return undefined
  }
}

function showCell(cell: JsonObject, index: number): string {
  const id = typeof cell.id === "string" ? ` id ${cell.id}` : ""
  const outputs = Array.isArray(cell.outputs) ? cell.outputs.filter(isObject).map(showOutput) : []
  const head = `[cell ${index}${id}: ${String(cell.cell_type)}]`
  return [head, joined(cell.source), ...outputs.map((output) => `[output]\n${output}`)].join("\n")
}

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

/** Notebooks keep texts as one string or as a list of lines. */
function joined(value: JsonValue | undefined, between = ""): string {
  if (typeof value === "string") return value
  return Array.isArray(value) ? value.map(String).join(between) : ""
}

function cut(text: string): string {
  const trimmed = text.trimEnd()
  if (trimmed.length <= longestOutput) return trimmed
  return `${trimmed.slice(0, longestOutput)}\n[output cut: ${trimmed.length} characters]`
}
