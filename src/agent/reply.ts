/** Folds model events into one assistant message, block by block. */

import { isObject, type JsonObject } from "#lib/json.ts"
import type { AssistantBlock, ToolUseBlock } from "./words/message.ts"
import { noUsage, type ModelEvent, type StopReason, type Usage } from "./words/model.ts"

/** A block that is whole. A tool use whose input could not be read says why, and is never run. */
export type FinishedBlock = { readonly block: AssistantBlock; readonly unreadable?: string }

export interface Reply {
  /** Takes one event; gives a block when that event completed one. */
  readonly take: (event: ModelEvent) => FinishedBlock | undefined
  /** Text that was still streaming when the answer was cut off. */
  readonly unfinishedText: () => string
  readonly id: () => string
  /** Whether anything was received. */
  readonly begun: () => boolean
  /** Characters received so far: what a cut-off answer has cost at least. */
  readonly received: () => number
  readonly usage: () => Usage
  readonly stopReason: () => StopReason | undefined
}

interface Open {
  readonly start: AssistantBlock
  readonly pieces: string[]
  readonly signatures: string[]
}

export function openReply(): Reply {
  const open = new Map<number, Open>()
  let id = ""
  let begun = false
  let received = 0
  let usage = noUsage
  let stopReason: StopReason | undefined

  const piece = (index: number, text: string): undefined => {
    received += text.length
    open.get(index)?.pieces.push(text)
  }

  return {
    id: () => id,
    begun: () => begun,
    received: () => received,
    usage: () => usage,
    stopReason: () => stopReason,
    unfinishedText: () =>
      [...open.values()]
        .filter(({ start }) => start.type === "text")
        .map(({ start, pieces }) => (start.type === "text" ? start.text : "") + pieces.join(""))
        .join("\n"),
    take(event) {
      switch (event.type) {
        case "message_start":
          id = event.id
          begun = true
          usage = event.usage
          return undefined
        case "block_start":
          open.set(event.index, { start: event.block, pieces: [], signatures: [] })
          return undefined
        case "text_delta":
          return piece(event.index, event.text)
        case "thinking_delta":
          return piece(event.index, event.thinking)
        case "input_delta":
          return piece(event.index, event.json)
        case "signature_delta":
          open.get(event.index)?.signatures.push(event.signature)
          return undefined
        case "block_stop": {
          const block = open.get(event.index)
          open.delete(event.index)
          return block && finish(block)
        }
        case "message_delta":
          stopReason = event.stopReason
          usage = { ...usage, ...event.usage }
          return undefined
        default:
          return undefined
      }
    },
  }
}

function finish({ start, pieces, signatures }: Open): FinishedBlock | undefined {
  const rest = pieces.join("")
  switch (start.type) {
    case "text": {
      const text = start.text + rest
      // Providers refuse empty text, so it never enters the log.
      return text.trim() === "" ? undefined : { block: { type: "text", text } }
    }
    case "thinking":
      return {
        block: { type: "thinking", thinking: start.thinking + rest, signature: start.signature + signatures.join("") },
      }
    case "redacted_thinking":
      return { block: start }
    case "tool_use":
      return finishUse(start, rest)
  }
}

function finishUse(start: ToolUseBlock, json: string): FinishedBlock {
  if (json.trim() === "") return { block: start }
  const input = readObject(json)
  if (input) return { block: { ...start, input } }
  return {
    block: { ...start, input: {} },
    unreadable: `The input of this call was not a whole JSON object (it broke off or is malformed after ${json.length} characters), so it was not run. Send the call again; if the input is long, split the work into smaller calls.`,
  }
}

function readObject(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
