/** The whole conversation as items: read from the log, and followed while it is looked at. */

import type { Event } from "#agent/words/event.ts"
import type { Item } from "#faces/view/item.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView, splitFinished, type View } from "#faces/view/view.ts"

export interface Whole {
  readonly items: () => readonly Item[]
  readonly isLoaded: () => boolean
  readonly close: () => void
}

export function openWhole(parts: {
  readonly events: AsyncIterable<Event>
  readonly last: string | undefined
  readonly live: () => View
  readonly changed: () => void
}): Whole {
  const { live, changed } = parts
  const done: Item[] = []
  let view = emptyView
  let loaded = parts.last === undefined
  let made: { readonly from: View; readonly live: View; readonly items: readonly Item[] } | undefined
  const iterator = parts.events[Symbol.asyncIterator]()
  let open = true

  async function follow(): Promise<void> {
    for (let next = await iterator.next(); open && !next.done; next = await iterator.next()) {
      const event = next.value
      // What the model says is taken from the screen until it is whole: its beginning may have come before.
      if (event.type !== "model_delta") {
        const taken = splitFinished(reduce(view, event))
        done.push(...taken.finished)
        view = taken.view
      }
      loaded ||= event.cursor === parts.last
      if (loaded) changed()
    }
  }
  void follow().catch(() => {})

  function items(): readonly Item[] {
    const now = live()
    if (made?.from !== view || made.live !== now)
      made = { from: view, live: now, items: [...done, ...view.items, ...openIn(now)] }
    return made.items
  }

  return {
    items,
    isLoaded: () => loaded,
    close() {
      open = false
      void iterator.return?.()
    },
  }
}

function openIn({ items, said }: View): readonly Item[] {
  const last = items.at(-1)
  if (last?.kind === "text" && !last.finished)
    return said === "" ? [] : [{ ...last, piece: { markdown: said, joint: "apart", openCode: false } }]
  const isOpen = (last?.kind === "thinking" && !last.finished) || (last?.kind === "call" && last.state === "writing")
  return last && isOpen ? [last] : []
}
