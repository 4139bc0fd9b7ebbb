/** The output items of an answer, each in its place: it counts once, even when it is delivered twice. */

import type { AnswerBlocks } from "#ground/models/answer-blocks.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { openItem, type OutputItem, type PieceKind } from "./output-item.ts"

/** Each appends the resulting events to `out`, and returns why the event cannot be trusted. */
export interface OutputItems {
  readonly added: (event: JsonObject, out: AnswerEvent[]) => string | undefined
  readonly piece: (kind: PieceKind, event: JsonObject, out: AnswerEvent[]) => string | undefined
  readonly done: (event: JsonObject, out: AnswerEvent[]) => string | undefined
  /** Items that come in one, as in an answer that does not stream. */
  readonly whole: (items: readonly JsonValue[], out: AnswerEvent[]) => string | undefined
  readonly hasItems: () => boolean
  readonly hasCalls: () => boolean
  readonly isRefusal: () => boolean
}

interface ItemPlace {
  readonly id: unknown
  readonly kind: unknown
  readonly item: OutputItem
  state: "open" | "done" | "repeated"
}

export function openOutputItems(blocks: AnswerBlocks, by: string): OutputItems {
  const places = new Map<number, ItemPlace>()
  let last = -1

  function begin(index: number, item: JsonObject, out: AnswerEvent[]): ItemPlace | string {
    const opened = openItem(item, { blocks, by }, out)
    if (typeof opened === "string") return opened
    const place: ItemPlace = { id: item.id, kind: item.type, item: opened, state: "open" }
    places.set(index, place)
    last = index
    return place
  }

  function takeWhole(index: number, item: JsonObject, out: AnswerEvent[]): string | undefined {
    const place = begin(index, item, out)
    if (typeof place === "string") return place
    place.state = "done"
    return place.item.end(item, out)
  }

  /** An event without a place belongs to the item that began last. */
  const indexIn = ({ output_index }: JsonObject, otherwise: number): number =>
    typeof output_index === "number" ? output_index : otherwise

  return {
    added(event, out) {
      const { item } = event
      if (!isObject(item)) return "an item is not an object"
      const index = indexIn(event, last + 1)
      const before = places.get(index)
      if (!before) {
        const place = begin(index, item, out)
        return typeof place === "string" ? place : undefined
      }
      if (before.state === "open" || before.kind !== item.type || before.id !== item.id)
        return "an item began in the place of another"
      before.state = "repeated"
      return undefined
    },
    piece(kind, event, out) {
      const index = indexIn(event, last)
      let place = places.get(index)
      if (!place && kind === "text") {
        // Text alone can only be a message.
        const begun = begin(Math.max(index, 0), { type: "message" }, out)
        if (typeof begun !== "string") place = begun
      }
      if (!place) return "a piece belongs to no item"
      return place.state === "open" ? place.item.push(kind, event, out) : undefined
    },
    done(event, out) {
      const { item } = event
      if (!isObject(item)) return "an item is not an object"
      const index = indexIn(event, last)
      const place = places.get(index)
      if (!place) return takeWhole(index, item, out)
      const isFirst = place.state === "open"
      place.state = "done"
      return isFirst ? place.item.end(item, out) : undefined
    },
    whole(items, out) {
      for (const [index, item] of items.entries()) {
        const wrong = isObject(item) ? takeWhole(index, item, out) : "an item is not an object"
        if (wrong !== undefined) return wrong
      }
      return undefined
    },
    hasItems: () => places.size > 0,
    hasCalls: () => [...places.values()].some(({ kind }) => kind === "function_call"),
    isRefusal: () => [...places.values()].some(({ item }) => item.isRefusal?.()),
  }
}
