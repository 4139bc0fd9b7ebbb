/** One item of an answer while it is received: a message, a call, or reasoning. */

import type { AnswerBlocks } from "#ground/models/answer-blocks.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { isObject, type JsonObject, type JsonValue, objectIn } from "#lib/json.ts"
import { isPhase, phaseProof, reasoningProof } from "./reasoning.ts"

export type PieceKind = "text" | "refusal" | "thought" | "input"

export interface OutputItem {
  /** Takes a piece; returns why it cannot be trusted. */
  readonly push: (kind: PieceKind, event: JsonObject, out: AnswerEvent[]) => string | undefined
  /** Takes the item as it is in the end, with whatever did not come in pieces. */
  readonly end: (final: JsonObject, out: AnswerEvent[]) => string | undefined
  readonly isRefusal?: () => boolean
}

interface ItemContext {
  readonly blocks: AnswerBlocks
  readonly by: string
}

/** Returns why it cannot be trusted instead. */
export function openItem(item: JsonObject, parts: ItemContext, out: AnswerEvent[]): OutputItem | string {
  if (item.type === "function_call") return openCall(item, parts, out)
  parts.blocks.close(out)
  switch (item.type) {
    case "message":
      return openMessage(item, parts)
    case "reasoning":
      return openReasoning(parts)
    default:
      return { push: () => "a piece belongs to another kind of item", end: () => undefined }
  }
}

function openMessage({ phase }: JsonObject, { blocks, by }: ItemContext): OutputItem {
  let said = false
  let isRefusal = false
  const say = (text: JsonValue | undefined, to: AnswerEvent[]): void => {
    if (typeof text !== "string" || text === "") return
    if (!said && isPhase(phase)) blocks.hidden(phaseProof(by, phase), to)
    said = true
    blocks.text(text, to)
  }
  return {
    push(kind, { delta }, to) {
      if ((kind !== "text" && kind !== "refusal") || typeof delta !== "string") return "a piece belongs to no message"
      isRefusal ||= kind === "refusal"
      say(delta, to)
      return undefined
    },
    end({ content }, to) {
      for (const part of said ? [] : partsIn(content)) {
        isRefusal ||= part.type === "refusal"
        say(part.type === "refusal" ? part.refusal : part.text, to)
      }
      blocks.close(to)
      return undefined
    },
    isRefusal: () => isRefusal,
  }
}

function openReasoning({ blocks, by }: ItemContext): OutputItem {
  let said = false
  let part: JsonValue | undefined
  return {
    push(kind, { delta, summary_index, content_index }, out) {
      if (kind !== "thought" || typeof delta !== "string") return "a piece belongs to no reasoning"
      const next = summary_index ?? content_index
      const isNew = said && next !== part
      part = next
      said = true
      blocks.thinking(isNew ? `\n\n${delta}` : delta, out)
      return undefined
    },
    end(final, out) {
      const text = said ? "" : textsIn(final.summary) || textsIn(final.content)
      if (text !== "") blocks.thinking(text, out)
      const proof = reasoningProof(by, final)
      if (proof) blocks.proof(proof, out)
      blocks.close(out)
      return undefined
    },
  }
}

function openCall({ call_id, name }: JsonObject, { blocks }: ItemContext, out: AnswerEvent[]): OutputItem | string {
  if (typeof name !== "string" || name === "") return "a call has no name"
  const index = blocks.openCall(call_id, name, out)
  let json = ""
  const grow = (piece: string, to: AnswerEvent[]): void => {
    json += piece
    if (piece !== "") blocks.input(index, piece, to)
  }
  return {
    push(kind, { delta }, to) {
      if (kind !== "input" || typeof delta !== "string") return "a piece belongs to no call"
      grow(delta, to)
      return undefined
    },
    end({ arguments: whole }, to) {
      if (typeof whole === "string" && json === "") grow(whole, to)
      // A piece that got lost would otherwise change what is done.
      if (typeof whole === "string" && !isSameJson(whole, json)) return "the pieces of a call are not the call"
      blocks.stop(index, to)
      return undefined
    },
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
