/** A call that changes one cell of a notebook. */

import type { Ids } from "#lib/ids.ts"
import type { EditGround } from "./edit-plan.ts"

export const cellTypes = ["code", "markdown", "raw"] as const
export type CellType = (typeof cellTypes)[number]

export interface NotebookEditGround extends EditGround {
  readonly ids: Ids
}

export interface NotebookEditInput {
  readonly notebook_path: string
  readonly cell_id?: string | undefined
  readonly cell_number?: number | undefined
  readonly new_source?: string | undefined
  readonly cell_type?: CellType | undefined
  readonly edit_mode: "replace" | "insert" | "delete"
}
