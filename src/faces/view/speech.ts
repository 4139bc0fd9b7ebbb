/** What the model says and thinks, in a view: growing at the end, settled piece by piece. */

import type { Item } from "./item.ts"
import { grow, nothing } from "./pieces.ts"
import type { View } from "./view.ts"

export function say(view: View, messageId: string, text: string): View {
  const last = view.items.at(-1)
  const grows = last?.kind === "text" && !last.finished && last.messageId === messageId
  const { settled, open } = grow(grows ? last.piece : nothing, text)
  const rest: Item = { kind: "text", messageId, piece: open, finished: false }
  if (grows && settled.length === 0) return { ...view, items: view.items.with(-1, rest) }
  const before = grows ? view.items.slice(0, -1) : view.items
  const pieces: Item[] = settled.map((piece) => ({ kind: "text", messageId, piece, finished: true }))
  return { ...view, items: [...before, ...pieces, rest] }
}

export function think(view: View, messageId: string, text: string): View {
  const last = view.items.at(-1)
  const grows = last?.kind === "thinking" && !last.finished && last.messageId === messageId
  const item: Item = { kind: "thinking", messageId, text: (grows ? last.text : "") + text, finished: false }
  return { ...view, items: grows ? view.items.with(-1, item) : [...view.items, item] }
}

export function finishMessage(view: View, messageId: string): View {
  const last = view.items.at(-1)
  if (last?.kind === "text" && last.messageId === messageId) return finishText(view)
  return last?.kind === "thinking" && last.messageId === messageId ? finishThinking(view) : view
}

export function finishText(view: View): View {
  const last = view.items.at(-1)
  if (last?.kind !== "text" || last.finished) return view
  // A text that ended with a line end leaves an open piece with nothing in it.
  if (last.piece.markdown.trim() === "") return { ...view, items: view.items.slice(0, -1) }
  return { ...view, items: view.items.with(-1, { ...last, finished: true }) }
}

export function finishThinking(view: View): View {
  const last = view.items.at(-1)
  if (last?.kind !== "thinking" || last.finished) return view
  return { ...view, items: view.items.with(-1, { ...last, finished: true }) }
}

/** For a message that was cut off, or without an id for whatever is open: text stays, calls count as not made. */
export function dropped(view: View, messageId: string | undefined): View {
  const items = view.items.flatMap((item): readonly Item[] => {
    switch (item.kind) {
      case "text":
        if (item.finished || (messageId !== undefined && item.messageId !== messageId)) return [item]
        return item.piece.markdown.trim() === "" ? [] : [{ ...item, finished: true }]
      case "thinking":
        return [messageId === undefined || item.messageId === messageId ? { ...item, finished: true } : item]
      case "call":
        // Nobody needs to know of a call that was never whole.
        if (item.state === "writing") return []
        return [item.state === "waiting" || item.state === "running" ? { ...item, state: "dropped" } : item]
      default:
        return [item]
    }
  })
  return { ...view, items, streamed: 0 }
}
