/** The calls of an answer. Servers number them, name them, or just send them one after the other. */

import type { AnswerBlocks } from "#ground/models/answer-blocks.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { isObject, type JsonObject } from "#lib/json.ts"

export interface Calls {
  /** Takes a piece; returns why it cannot be trusted. */
  readonly take: (piece: JsonObject, out: AnswerEvent[]) => string | undefined
  /** A call that came in one. */
  readonly whole: (name: string, json: string, out: AnswerEvent[]) => void
  readonly end: (out: AnswerEvent[]) => string | undefined
  readonly count: () => number
}

interface OpenCall {
  readonly place: number | undefined
  readonly id: string
  /** Undefined until its name came. */
  index: number | undefined
  /** Pieces of the input that came before the name. */
  early: string
}

export function openCalls(blocks: AnswerBlocks): Calls {
  const open: OpenCall[] = []
  let counted = 0

  /** A piece with another id, or with a name where nothing is numbered, is another call. */
  function callOf(place: number | undefined, id: string, name: string): OpenCall {
    const before = place === undefined ? open.at(-1) : open.findLast((call) => call.place === place)
    const isNext = before === undefined || (id !== "" && id !== before.id && (before.id !== "" || name !== ""))
    if (before && !isNext && !(place === undefined && id === "" && name !== "" && before.index !== undefined))
      return before
    const call: OpenCall = { place, id, index: undefined, early: "" }
    open.push(call)
    return call
  }

  function begin(call: OpenCall, name: string, out: AnswerEvent[]): void {
    if (call.index !== undefined || name === "") return
    call.index = blocks.call(call.id === "" ? undefined : call.id, name, out)
    counted++
    if (call.early !== "") blocks.input(call.index, call.early, out)
    call.early = ""
  }

  return {
    take(piece, out) {
      const called = isObject(piece.function) ? piece.function : piece
      const name = typeof called.name === "string" ? called.name : ""
      const id = typeof piece.id === "string" ? piece.id : ""
      const place = typeof piece.index === "number" ? piece.index : undefined
      const json =
        typeof called.arguments === "string"
          ? called.arguments
          : isObject(called.arguments)
            ? JSON.stringify(called.arguments)
            : ""
      if (name === "" && id === "" && json === "") return undefined
      if (name === "" && id === "" && open.length === 0) return "a piece belongs to no call"
      const call = callOf(place, id, name)
      begin(call, name, out)
      if (json === "") return undefined
      if (call.index === undefined) call.early += json
      else blocks.input(call.index, json, out)
      return undefined
    },
    whole(name, json, out) {
      const index = blocks.call(undefined, name, out)
      counted++
      blocks.input(index, json, out)
      blocks.stop(index, out)
    },
    end(out) {
      for (const { index } of open) {
        if (index === undefined) return "a call has no name"
        blocks.stop(index, out)
      }
      return undefined
    },
    count: () => counted,
  }
}
