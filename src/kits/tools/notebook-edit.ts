/** Changes one cell of a notebook. */

import * as shape from "#lib/shape.ts"
import { defineTool } from "#agent/words/define-tool.ts"
import { writes } from "#agent/words/footprint.ts"
import { refused, type Tool } from "#agent/words/tool.ts"
import { cellTypes, type NotebookEditGround, type NotebookEditInput } from "./notebook-call.ts"
import { shownPath } from "./shown-path.ts"

const input = shape.object({
  notebook_path: shape.string(),
  cell_id: shape.string().optional(),
  cell_number: shape.int().min(0).optional().describe("Instead of cell_id; counted from 0"),
  new_source: shape.string().optional(),
  cell_type: shape.choice(cellTypes).optional().describe("code if not given, or as it was"),
  edit_mode: shape.choice(["replace", "insert", "delete"]).default("replace"),
})

export const notebookEditTool = (ground: NotebookEditGround): Tool<NotebookEditInput> =>
  defineTool({
    name: "NotebookEdit",
    description,
    input,
    title: ({ notebook_path, edit_mode }) => `NotebookEdit ${shownPath(ground.paths, notebook_path)} (${edit_mode})`,
    footprint: (call) => writes(ground.places.declare(call, call.notebook_path)),
    // The whole change is tried before anyone is asked: users should not have to judge a call that cannot succeed.
    async validate(call, signal) {
      const { prepare } = await change()
      const prepared = await prepare(ground, call, signal)
      return prepared.ok ? undefined : prepared.failure
    },
    async preview(call, signal) {
      const { prepare, drawn } = await change()
      const prepared = await prepare(ground, call, signal)
      return prepared.ok ? drawn(prepared.value) : undefined
    },
    async run(call, { signal }) {
      const { prepare, carryOut } = await change()
      const prepared = await prepare(ground, call, signal)
      return prepared.ok ? carryOut(ground, call, prepared.value, signal) : refused(prepared.failure)
    },
  })

const description = `Changes one cell of a notebook (.ipynb): replaces its source, inserts a new cell after it (at the beginning when no cell is named), or deletes it. Outputs of a replaced code cell are cleared. Read the notebook first.`

const change = () => import("./notebook-change.ts")
