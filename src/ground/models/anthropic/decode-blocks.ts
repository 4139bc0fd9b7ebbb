/** The blocks of one answer: started, extended and ended, each under an index of ours. */

import type { AssistantBlock, Proof } from "#agent/words/message.ts"
import type { AdmittedIds } from "#ground/models/admitted-ids.ts"
import type { AnswerEvent } from "#ground/models/attempt.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { citationIn, searchResultIn } from "./search.ts"

export interface BlocksParts {
  readonly by: string
  /** Ids used so far, in this conversation and others of the port. */
  readonly toolIds: AdmittedIds
  /** Search results of the provider are only accepted if a search was requested. */
  readonly searching: "with_search" | "plain"
}

/** Appends the resulting events to `out`; returns why the event cannot be trusted. */
type DecodeBlockEvent = (event: JsonObject, out: AnswerEvent[]) => string | undefined

export interface Blocks {
  readonly start: DecodeBlockEvent
  readonly delta: DecodeBlockEvent
  readonly stop: DecodeBlockEvent
  readonly areOpen: () => boolean
}

interface OpenBlock {
  readonly kind: AssistantBlock["type"] | "ignored"
  readonly index: number
}

/** `release` is called before the first content is emitted. */
export function openBlocks(parts: BlocksParts, release: (out: AnswerEvent[]) => void): Blocks {
  const { by, searching } = parts
  /** The provider's index of each open block, with ours: blocks we leave out must not leave gaps. */
  const open = new Map<number, OpenBlock>()
  let count = 0

  return {
    areOpen: () => open.size > 0,
    start(event, out) {
      const { index, content_block } = event
      if (typeof index !== "number" || !isObject(content_block) || open.has(index)) return "a block began out of place"
      const block = blockIn(content_block, parts)
      if (block === "unreadable") return "a block lacks its fields"
      if (block === "unknown") {
        const found = searching === "with_search" ? searchResultIn(content_block) : undefined
        if (found) {
          release(out)
          out.push(found)
        }
        open.set(index, { kind: "ignored", index: -1 })
        return undefined
      }
      release(out)
      open.set(index, { kind: block.type, index: count })
      out.push({ type: "block_start", index: count++, block })
      return undefined
    },

    delta(event, out) {
      const { delta } = event
      const block = typeof event.index === "number" ? open.get(event.index) : undefined
      if (!block || !isObject(delta)) return "a piece belongs to no block"
      if (block.kind === "ignored") return undefined
      const piece =
        searching === "with_search" && delta.type === "citations_delta"
          ? citationIn(delta, block.index)
          : pieceIn(delta, block, by)
      if (piece === "unreadable") return "a piece does not fit its block"
      if (piece) out.push(piece)
      return undefined
    },

    stop(event, out) {
      const block = typeof event.index === "number" ? open.get(event.index) : undefined
      if (!block) return "a block ended that had not begun"
      open.delete(Number(event.index))
      if (block.kind !== "ignored") out.push({ type: "block_stop", index: block.index })
      return undefined
    },
  }
}

const signed = (by: string, signature: JsonValue | undefined): { readonly proof?: Proof } =>
  typeof signature === "string" && signature !== "" ? { proof: { by, value: signature } } : {}

const textIn = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "")

function blockIn(block: JsonObject, { by, toolIds }: BlocksParts): AssistantBlock | "unknown" | "unreadable" {
  switch (block.type) {
    case "text":
      return { type: "text", text: textIn(block.text) }
    case "thinking":
      return { type: "thinking", thinking: textIn(block.thinking), ...signed(by, block.signature) }
    case "redacted_thinking":
      return typeof block.data === "string"
        ? { type: "redacted_thinking", proof: { by, value: block.data } }
        : "unreadable"
    case "tool_use":
      if (typeof block.name !== "string") return "unreadable"
      return {
        type: "tool_use",
        id: toolIds.admit(block.id),
        name: block.name,
        input: isObject(block.input) ? block.input : {},
      }
    default:
      return typeof block.type === "string" ? "unknown" : "unreadable"
  }
}

/** Undefined for an unknown kind of delta. */
function pieceIn(delta: JsonObject, { kind, index }: OpenBlock, by: string): AnswerEvent | "unreadable" | undefined {
  switch (delta.type) {
    case "text_delta":
      if (kind !== "text" || typeof delta.text !== "string") return "unreadable"
      return { type: "text_delta", index, text: delta.text }
    case "input_json_delta":
      if (kind !== "tool_use" || typeof delta.partial_json !== "string") return "unreadable"
      return { type: "input_delta", index, json: delta.partial_json }
    case "thinking_delta":
      if (kind !== "thinking" || typeof delta.thinking !== "string") return "unreadable"
      return { type: "thinking_delta", index, thinking: delta.thinking }
    case "signature_delta":
      if (kind !== "thinking" || typeof delta.signature !== "string") return "unreadable"
      return { type: "proof_delta", index, proof: { by, value: delta.signature } }
    default:
      return typeof delta.type === "string" ? undefined : "unreadable"
  }
}
