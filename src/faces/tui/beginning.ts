/** How a conversation begins on the screen: where it is, and what was said before, as far as anyone would read it again. */

import type { Item } from "#faces/view/item.ts"
import { forConsent } from "#lib/printable.ts"
import { markedLine } from "./editor/line.ts"
import { itemsRows } from "./parts/items.ts"
import { bold, dim } from "./screen/style.ts"

const mostHistory = 60

export interface Beginning {
  readonly add: (items: readonly Item[]) => void
  readonly rows: (place: BeginningPlace) => readonly string[]
  readonly said: () => readonly string[]
}

export interface BeginningPlace {
  readonly model: string
  readonly cwd: string
  readonly root: string
  readonly columns: number
  readonly notes: readonly string[]
}

export function openBeginning(): Beginning {
  const history: Item[] = []
  return {
    add(items) {
      history.push(...items)
      if (history.length > mostHistory * 2) history.splice(0, history.length - mostHistory - 1)
    },
    rows({ model, cwd, root, columns, notes }) {
      const said: readonly Item[] = notes.map((text) => ({ kind: "notice", level: "warning", text }))
      return [
        `${bold("Codewright")} ${dim(forConsent(`in ${cwd}, with ${model}`))}`,
        ...(history.length > mostHistory ? ["", dim("  … earlier messages are not shown")] : []),
        ...itemsRows([...history.slice(-mostHistory), ...said], columns, "folded", root),
      ]
    },
    said: () => history.flatMap((item) => (item.kind === "prompt" ? [markedLine("prompt", item.text)] : [])),
  }
}
