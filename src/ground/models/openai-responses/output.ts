/** The output items of an answer: each begins, grows and ends, and counts once even when it is delivered twice. */

import type { AnswerBlocks } from "#ground/models/answer-blocks.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { isPhase, phaseProof, reasoningProof } from "./reasoning.ts"

/** Each appends the resulting events to `out`, and returns why the event cannot be trusted. */
export interface Output {
  readonly added: (event: JsonObject, out: AnswerEvent[]) => string | undefined
  readonly text: (event: JsonObject, out: AnswerEvent[]) => string | undefined
  readonly refusal: (event: JsonObject, out: AnswerEvent[]) => string | undefined
  readonly thought: (event: JsonObject, out: AnswerEvent[]) => string | undefined
  readonly input: (event: JsonObject, out: AnswerEvent[]) => string | undefined
  readonly done: (event: JsonObject, out: AnswerEvent[]) => string | undefined
  /** Items that come in one, as in an answer that does not stream. */
  readonly whole: (items: readonly JsonValue[], out: AnswerEvent[]) => string | undefined
  readonly hasItems: () => boolean
  readonly hasCalls: () => boolean
  readonly isRefusal: () => boolean
}

interface OutputItem {
  readonly id: unknown
  readonly kind: unknown
  /** Of a call. */
  readonly block?: number
  /** What was received of it. */
  said: string
  /** The part of the summary, or of the text, that is being received. */
  part: JsonValue | undefined
  state: "open" | "done" | "repeated"
}

export function openOutput(blocks: AnswerBlocks, by: string): Output {
  const items = new Map<number, OutputItem>()
  let last = -1
  let calls = 0
  let isRefusal = false

  function begin(place: number, item: JsonObject, out: AnswerEvent[]): string | undefined {
    if (item.type === "function_call" && (typeof item.name !== "string" || item.name === ""))
      return "a call has no name"
    const isCall = item.type === "function_call"
    if (!isCall) blocks.close(out)
    if (isPhase(item.phase)) blocks.hidden(phaseProof(by, item.phase), out)
    const block = isCall ? blocks.openCall(item.call_id, String(item.name), out) : undefined
    if (isCall) calls++
    items.set(place, {
      id: item.id,
      kind: item.type,
      ...(block !== undefined && { block }),
      said: "",
      part: undefined,
      state: "open",
    })
    last = place
    return undefined
  }

  const placeIn = ({ output_index }: JsonObject): number => (typeof output_index === "number" ? output_index : last)

  /** The item of a piece; nothing for one that was delivered before. */
  function growing(event: JsonObject, kind: string): OutputItem | "known" | undefined {
    const item = items.get(placeIn(event))
    if (item && item.state !== "open") return "known"
    return item?.kind === kind ? item : undefined
  }

  function say(item: OutputItem, kind: "text" | "thinking", piece: string, out: AnswerEvent[]): void {
    item.said += piece
    if (piece !== "") blocks[kind](piece, out)
  }

  function endCall(item: OutputItem, whole: JsonValue | undefined, out: AnswerEvent[]): string | undefined {
    if (item.block === undefined) return undefined
    if (typeof whole === "string" && item.said === "") {
      item.said = whole
      if (whole !== "") blocks.input(item.block, whole, out)
    }
    // A piece that got lost would otherwise change what is done.
    if (typeof whole === "string" && !isSameJson(whole, item.said)) return "the pieces of a call are not the call"
    blocks.stop(item.block, out)
    return undefined
  }

  function end(item: OutputItem, final: JsonObject, out: AnswerEvent[]): string | undefined {
    item.state = "done"
    if (item.kind === "function_call") return endCall(item, final.arguments, out)
    if (item.kind === "message") {
      if (item.said === "") for (const part of partsIn(final.content)) takePart(item, part, out)
    } else if (item.kind === "reasoning") {
      if (item.said === "") say(item, "thinking", textsIn(final.summary) || textsIn(final.content), out)
      const proof = reasoningProof(by, final)
      if (proof) blocks.proof(proof, out)
    }
    blocks.close(out)
    return undefined
  }

  function takePart(item: OutputItem, part: JsonObject, out: AnswerEvent[]): void {
    if (part.type === "refusal") isRefusal = true
    const text = part.type === "refusal" ? part.refusal : part.text
    if (typeof text === "string") say(item, "text", text, out)
  }

  function takeWhole(place: number, item: JsonObject, out: AnswerEvent[]): string | undefined {
    const wrong = begin(place, item, out)
    const begun = items.get(place)
    return wrong ?? (begun && end(begun, item, out))
  }

  const added: Output["added"] = (event, out) => {
    const { item } = event
    if (!isObject(item)) return "an item is not an object"
    const place = typeof event.output_index === "number" ? event.output_index : last + 1
    const before = items.get(place)
    if (!before) return begin(place, item, out)
    if (before.state === "open" || before.kind !== item.type || before.id !== item.id)
      return "an item began in the place of another"
    before.state = "repeated"
    return undefined
  }

  return {
    added,
    text(event, out) {
      // Text alone can only be a message.
      if (!items.has(placeIn(event))) begin(Math.max(placeIn(event), 0), { type: "message" }, out)
      const item = growing(event, "message")
      if (item === "known") return undefined
      if (!item || typeof event.delta !== "string") return "a piece of text belongs to no message"
      say(item, "text", event.delta, out)
      return undefined
    },
    refusal(event, out) {
      isRefusal = true
      const item = growing(event, "message")
      if (item === "known") return undefined
      if (!item || typeof event.delta !== "string") return "a piece of text belongs to no message"
      say(item, "text", event.delta, out)
      return undefined
    },
    thought(event, out) {
      const item = growing(event, "reasoning")
      if (item === "known") return undefined
      if (!item || typeof event.delta !== "string") return "a piece of a thought belongs to no reasoning"
      const part = event.summary_index ?? event.content_index
      const isNext = item.said !== "" && part !== item.part
      item.part = part
      say(item, "thinking", isNext ? `\n\n${event.delta}` : event.delta, out)
      return undefined
    },
    input(event, out) {
      const item = growing(event, "function_call")
      if (item === "known") return undefined
      if (!item || item.block === undefined || typeof event.delta !== "string") return "a piece belongs to no call"
      item.said += event.delta
      blocks.input(item.block, event.delta, out)
      return undefined
    },
    done(event, out) {
      const { item } = event
      if (!isObject(item)) return "an item is not an object"
      const place = typeof event.output_index === "number" ? event.output_index : last
      const begun = items.get(place)
      if (!begun) return takeWhole(place, item, out)
      if (begun.state === "open") return end(begun, item, out)
      begun.state = "done"
      return undefined
    },
    whole(list, out) {
      for (const [place, item] of list.entries()) {
        const wrong = isObject(item) ? takeWhole(place, item, out) : "an item is not an object"
        if (wrong !== undefined) return wrong
      }
      return undefined
    },
    hasItems: () => items.size > 0,
    hasCalls: () => calls > 0,
    isRefusal: () => isRefusal,
  }
}

const partsIn = (content: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(content) ? content.filter(isObject) : []

const textsIn = (parts: JsonValue | undefined): string =>
  partsIn(parts)
    .flatMap(({ text }) => (typeof text === "string" ? [text] : []))
    .join("\n\n")

/** Servers write the same input with other spaces. */
function isSameJson(one: string, other: string): boolean {
  if (one === other) return true
  const [a, b] = [objectIn(one), objectIn(other)]
  return a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b)
}
