/** Shows a notebook as its cells, one after the other, with what they printed. */

import { answered, type Outcome, refused } from "#agent/words/tool.ts"
import type { LineRange } from "#ground/workspace/stamps.ts"
import { estimateTokens } from "#lib/tokens.ts"
import { counted } from "./counted.ts"
import { firstLine } from "./numbered.ts"
import { parseNotebook, showCell } from "./notebook.ts"

const mostTokens = 25_000

/** Undefined if the bytes are not a notebook. `range` counts lines of the output. */
export function readNotebook(path: string, bytes: Buffer, range: LineRange): Outcome | undefined {
  const cells = parseNotebook(bytes.toString("utf8"))?.cells
  if (cells === undefined) return undefined
  if (cells.length === 0) return answered(`${path} is a notebook without cells.`)
  const all = cells.map(showCell).join("\n\n").split("\n")
  const from = firstLine(range, all.length) - 1
  const shown = all.slice(from, range.limit === undefined ? undefined : from + range.limit).join("\n")
  if (estimateTokens(shown) > mostTokens)
    return refused(
      `The notebook ${path} is too long to show at once: ${all.length} lines as cells. Read part of it with offset and limit, or one cell with NotebookRead.`,
    )
  return answered(shown, {
    display: { kind: "text", text: counted(cells.length, "cell") },
    data: { type: "notebook", file: { filePath: path, cells } },
  })
}
