/** Shows a notebook, or one cell of it. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { reads } from "#agent/words/footprint.ts"
import { answered, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import { say } from "#ground/workspace/failure.ts"
import { hashOf } from "#ground/workspace/files.ts"
import { decode } from "#ground/workspace/text.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { refusedFile } from "./complaint.ts"
import { counted } from "./counted.ts"
import type { EditGround } from "./edit-plan.ts"
import { findCell, type Notebook, parseNotebook, showCell } from "./notebook.ts"
import { shownPath } from "./shown-path.ts"

export interface NotebookReadInput {
  readonly notebook_path: string
  readonly cell_id?: string | undefined
}

const mostTokens = 25_000
const mostBytes = 64_000_000

const input = shape.object({
  notebook_path: shape.string(),
  cell_id: shape.string().optional().describe("Only this cell; its number will do"),
})

export const notebookReadTool = (ground: EditGround): Tool<NotebookReadInput> =>
  defineTool({
    name: "NotebookRead",
    gathers: "file",
    description: "Shows the cells of a notebook (.ipynb) with their ids, numbers and outputs.",
    input,
    title: ({ notebook_path }) => `NotebookRead ${shownPath(ground.paths, notebook_path)}`,
    footprint: (call) => reads(ground.places.declare(call, call.notebook_path)),
    validate: async ({ notebook_path }) => {
      const path = ground.paths.resolve(notebook_path)
      return path.ok ? undefined : say(path.failure)
    },
    maxResultChars: mostTokens * 4 + 20_000,
    async run(call, { signal }) {
      const place = ground.places.toOpen(call, call.notebook_path)
      if (!place.ok) return refusedFile(place.failure)
      const { path, real } = place.value
      const content = await ground.files.read(real, mostBytes, signal)
      if (!content.ok) return refusedFile(content.failure)
      const decoded = decode(content.value.bytes)
      const notebook = decoded.ok ? parseNotebook(decoded.value.text) : undefined
      if (!decoded.ok || notebook === undefined) return refused(`${path} is not a notebook. Use Read.`)
      const outcome = show(path, notebook, call.cell_id)
      if (outcome.isError) return outcome
      const { bytes, identity, at } = content.value
      const hash = hashOf(bytes)
      const last = ground.stamps.get(real)
      // All cells are what Read shows of the file; a single cell adds nothing to what counts as shown.
      const before = last?.hash === hash ? last.shown : undefined
      const shown = call.cell_id === undefined ? { offset: 1, limit: undefined } : before
      ground.stamps.put(real, { identity, at, hash, text: decoded.value.text, shown })
      return outcome
    },
  })

function show(path: string, { cells }: Notebook, id: string | undefined): Outcome {
  const data = { filePath: path, numCells: cells.length }
  if (id !== undefined) {
    const index = findCell(cells, id)
    return index.ok ? answered(showCell(cells[index.value] ?? {}, index.value), { data }) : refused(index.failure)
  }
  if (cells.length === 0) return answered(`${path} is a notebook without cells.`, { data })
  const shown = cells.map(showCell).join("\n\n")
  if (estimateTokens(shown) > mostTokens)
    return refused(
      `The notebook ${path} is too long to show at once: ${cells.length} cells, about ${estimateTokens(shown)} tokens. Read single cells with cell_id, or parts with Read, offset and limit.`,
    )
  return answered(shown, { data, display: { kind: "text", text: counted(cells.length, "cell") } })
}
