/** The calls of an answer. Servers number them, name them, or just send them one after the other. */

import type { AnswerBlocks } from "#ground/models/answer-blocks.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { isObject, type JsonObject, objectIn } from "#lib/json.ts"

export interface Calls {
  /** Takes a piece; returns why it cannot be trusted. */
  readonly push: (piece: JsonObject, out: AnswerEvent[]) => string | undefined
  /** A call that came in one. */
  readonly whole: (name: string, json: string, out: AnswerEvent[]) => void
  readonly end: (out: AnswerEvent[]) => string | undefined
  readonly count: () => number
}

interface OpenCall {
  readonly place: number | undefined
  readonly id: string
  name: string
  /** Undefined until its name came. */
  index: number | undefined
  /** The input so far. */
  json: string
  /** It came whole; what comes now is the same once more, or another call. */
  again: { name: string; json: string } | undefined
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
    const call: OpenCall = { place, id, name: "", index: undefined, json: "", again: undefined }
    open.push(call)
    return call
  }

  function begin(call: OpenCall, name: string, out: AnswerEvent[]): void {
    if (call.index !== undefined || name === "") return
    call.index = blocks.openCall(call.id === "" ? undefined : call.id, name, out)
    call.name = name
    counted++
    if (call.json !== "") blocks.input(call.index, call.json, out)
  }

  /** What came once more under the same number and id: the same call counts once, another is one of its own. */
  function settle({ name, json, again }: OpenCall, out: AnswerEvent[]): string | undefined {
    if (!again || (again.name === name && again.json === json)) return undefined
    if (!objectIn(again.json)) return "a call came twice, and differently"
    whole(again.name, again.json, out)
    return undefined
  }

  function whole(name: string, json: string, out: AnswerEvent[]): void {
    const index = blocks.openCall(undefined, name, out)
    counted++
    blocks.input(index, json, out)
    blocks.stop(index, out)
  }

  return {
    push(piece, out) {
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
      // Some servers name a call in every piece, so only one that is whole is begun again.
      if (call.index !== undefined && name !== "" && objectIn(call.json)) {
        const wrong = settle(call, out)
        if (wrong !== undefined) return wrong
        call.again = { name, json }
        return undefined
      }
      if (call.again) {
        call.again.json += json
        return undefined
      }
      begin(call, name, out)
      call.json += json
      if (json !== "" && call.index !== undefined) blocks.input(call.index, json, out)
      return undefined
    },
    whole,
    end(out) {
      for (const call of open) {
        if (call.index === undefined) return "a call has no name"
        blocks.stop(call.index, out)
        const wrong = settle(call, out)
        if (wrong !== undefined) return wrong
      }
      return undefined
    },
    count: () => counted,
  }
}
