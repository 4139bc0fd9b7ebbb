/** A session as the page knows it: folded from what its stream has told so far. Pure, and the same however the stream was cut. */

import type { Happening, Moment } from "#agent/words/event.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { isFinished, type Item } from "#faces/view/item.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView, splitFinished, type View } from "#faces/view/view.ts"
import { type Facts, learn, noFacts } from "./facts.ts"
import { entryOf } from "./line-entry.ts"

/** What the model says now, until its entry arrives. Whoever came later has missed the beginning, and the entry brings it. */
export interface Speaking {
  readonly text: string
  readonly thinking: string
}

export interface Folded {
  /** Where to continue. */
  readonly cursor: number
  /** In blocks, so that those that are finished are never touched again. */
  readonly settled: readonly (readonly Item[])[]
  readonly view: View
  readonly speaking: Speaking
  /** The last answer that is complete: what still comes of it is late. */
  readonly endedId: string
  readonly facts: Facts
  /** How often the record of the session has changed: the stage, or an approval. */
  readonly changes: number
}

export const nothingYet: Folded = {
  cursor: 0,
  settled: [],
  view: emptyView,
  speaking: { text: "", thinking: "" },
  endedId: "",
  facts: noFacts,
  changes: 0,
}

export interface StreamEvent {
  readonly id: number
  readonly type: string
  readonly data: string
}

export function fold(before: Folded, events: readonly StreamEvent[]): Folded {
  let { view, speaking, endedId, facts, cursor, changes } = before
  for (const { id, type, data } of events) {
    if (id <= cursor) continue
    cursor = id
    if (type === "stage" || type === "approval") changes++
    const value = parsed(data)
    if (type === "entry") {
      const entry = entryOf(value)
      if (!entry) continue
      if (entry.kind === "reply" || entry.kind === "reply_end" || entry.kind === "turn_end")
        speaking = nothingYet.speaking
      if (entry.kind === "reply_end") endedId = entry.messageId
      // Somebody else may have switched one.
      if (entry.kind === "gates") changes++
      view = tried(view, { type: "entry", entry })
      facts = learnt(facts, entry)
    }
    if (type === "moment" && isObject(value)) {
      // A moment is what a worker sent; an unknown one changes nothing.
      const moment = value as unknown as Moment
      if (moment.type === "model_delta") speaking = moment.messageId === endedId ? speaking : spoken(speaking, moment)
      else if (!isLate(view, moment)) view = tried(view, moment)
    }
  }
  const { finished, view: rest } = splitFinished(view)
  const settled = finished.length > 0 ? appended(before.settled, finished) : before.settled
  return { cursor, settled, view: rest, speaking, endedId, facts, changes }
}

/** Moments and entries come on two ways, so the beginning of a call may arrive after its result. */
function isLate({ items }: View, moment: Moment): boolean {
  if (moment.type !== "tool_start" && moment.type !== "tool_progress") return false
  return items.some((item) => item.kind === "call" && item.callId === moment.callId && isFinished(item))
}

/** Few enough to be drawn again when one is added. */
const mostInBlock = 40

function appended(blocks: Folded["settled"], items: readonly Item[]): Folded["settled"] {
  const last = blocks.at(-1)
  const all = last && last.length < mostInBlock ? [...last, ...items] : items
  const before = last && last.length < mostInBlock ? blocks.slice(0, -1) : blocks
  const cut: (readonly Item[])[] = []
  for (let at = 0; at < all.length; at += mostInBlock) cut.push(all.slice(at, at + mostInBlock))
  return [...before, ...cut]
}

function spoken(before: Speaking, { delta }: Moment & { readonly type: "model_delta" }): Speaking {
  switch (delta.type) {
    case "message_start":
    case "block_start":
      return nothingYet.speaking
    case "text_delta":
      return { ...before, text: before.text + delta.text }
    case "thinking_delta":
      return { ...before, thinking: before.thinking + delta.thinking }
    default:
      return before
  }
}

/** A line of another version may lack what is read here: the rest is shown all the same. */
function tried(view: View, event: Happening): View {
  try {
    return reduce(view, event)
  } catch {
    const text = "Part of the conversation cannot be shown here."
    return { ...view, items: [...view.items, { kind: "notice", level: "warning", text }] }
  }
}

function learnt(facts: Facts, entry: Parameters<typeof learn>[1]): Facts {
  try {
    return learn(facts, entry)
  } catch {
    return facts
  }
}

function parsed(data: string): JsonValue {
  try {
    return JSON.parse(data) as JsonValue
  } catch {
    return null
  }
}
