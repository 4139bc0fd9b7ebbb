/** What happened in an agent, as rows: its entries folded like those of any conversation. */

import type { Entry } from "#agent/words/entry.ts"
import { itemsRows } from "#faces/tui/parts/items.ts"
import { dim } from "#faces/tui/screen/style.ts"
import { reduce } from "#faces/view/reduce.ts"
import { dropped } from "#faces/view/speech.ts"
import { emptyView } from "#faces/view/view.ts"
import type { Preview } from "./panel.ts"

/** Nobody reads more here, and all of it is drawn again whenever something is added. */
const mostItems = 300

export function transcriptRows(entries: readonly Entry[], isAtWork: boolean): Preview {
  const folded = entries.reduce((view, entry) => reduce(view, { type: "entry", entry }), emptyView)
  const { items } = isAtWork ? folded : dropped(folded, undefined)
  const shown = items.slice(-mostItems)
  return (columns) => {
    const rows = itemsRows(shown, columns, "folded")
    const before = items.length > shown.length ? [dim("… earlier messages are not shown")] : []
    // Each item stands apart from the one before; the first one has none.
    return [...before, ...(before.length === 0 && rows[0] === "" ? rows.slice(1) : rows)]
  }
}
