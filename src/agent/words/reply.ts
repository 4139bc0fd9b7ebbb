/** The one fold over model events: what an answer says block by block, what it used, and how it ended. */

import { isObject } from "#lib/json.ts"
import { type BadJson, readLenient } from "#lib/lenient-json.ts"
import type { AssistantBlock, Proof, ToolUseBlock } from "./message.ts"
import { type FoundPage, noUsage, type ModelEvent, type ModelFailure, type StopReason, type Usage } from "./model.ts"

/** A complete block. A tool use with unreadable input says why, and is never run. */
export type FinishedBlock = { readonly block: AssistantBlock; readonly unreadable?: string }

/** Text as far as it was received, with the pages it cites. */
export type Passage = { readonly text: string; readonly pages: readonly FoundPage[] }

export type FoundPages = { readonly pages: readonly FoundPage[]; readonly error?: string }

export interface Reply {
  /** Returns a block when the event completed one. */
  readonly onEvent: (event: ModelEvent) => FinishedBlock | undefined
  readonly id: () => string
  readonly requestId: () => string | undefined
  readonly begun: () => boolean
  readonly blocks: () => readonly AssistantBlock[]
  /** Text that was still streaming when the answer was cut off. */
  readonly unfinishedText: () => string
  readonly passages: () => readonly Passage[]
  readonly searches: () => readonly FoundPages[]
  /** Characters received so far: the minimum a cut-off answer has cost. */
  readonly received: () => number
  readonly usage: () => Usage
  readonly stopReason: () => StopReason | undefined
  /** Undefined when the answer is whole. */
  readonly failure: () => ModelFailure | undefined
}

interface OpenBlock {
  readonly start: AssistantBlock
  readonly pieces: string[]
  readonly proofs: Proof[]
  readonly pages: FoundPage[]
}

export function openReply(): Reply {
  const open = new Map<number, OpenBlock>()
  const texts = new Map<number, OpenBlock>()
  const closed = new Set<number>()
  const blocks: AssistantBlock[] = []
  const searches: FoundPages[] = []
  let id = ""
  let requestId: string | undefined
  let begun = false
  let received = 0
  let usage = noUsage
  let stopReason: StopReason | undefined
  let failure: ModelFailure | undefined = brokenOff

  const piece = (index: number, text: string): undefined => {
    received += text.length
    open.get(index)?.pieces.push(text)
  }

  /** A block delivered again, by its index or by its call id, counts once. */
  const begin = (index: number, start: AssistantBlock): undefined => {
    if (closed.has(index)) return
    const block: OpenBlock = { start, pieces: [], proofs: [], pages: [] }
    open.set(index, block)
    if (start.type === "text") texts.set(index, block)
  }

  const end = (index: number): FinishedBlock | undefined => {
    const block = open.get(index)
    if (!block) return undefined
    open.delete(index)
    closed.add(index)
    const finished = finish(block)
    if (!finished || blocks.some((before) => isSameCall(before, finished.block))) return undefined
    blocks.push(finished.block)
    return finished
  }

  return {
    id: () => id,
    requestId: () => requestId,
    begun: () => begun,
    blocks: () => blocks,
    received: () => received,
    usage: () => usage,
    stopReason: () => stopReason,
    failure: () => failure,
    searches: () => searches,
    passages: () => [...texts.values()].map((text) => ({ text: textSoFar(text), pages: text.pages })),
    unfinishedText: () =>
      [...open.values()]
        .filter(({ start }) => start.type === "text")
        .map(textSoFar)
        .join("\n"),
    onEvent(event) {
      switch (event.type) {
        case "message_start":
          id = event.id
          requestId = event.requestId
          begun = true
          usage = event.usage
          return undefined
        case "block_start":
          return begin(event.index, event.block)
        case "text_delta":
          return piece(event.index, event.text)
        case "thinking_delta":
          return piece(event.index, event.thinking)
        case "input_delta":
          return piece(event.index, event.json)
        case "proof_delta":
          open.get(event.index)?.proofs.push(event.proof)
          return undefined
        case "citation_delta":
          open.get(event.index)?.pages.push(event.page)
          return undefined
        case "search_result":
          searches.push({ pages: event.pages, ...(event.error !== undefined && { error: event.error }) })
          return undefined
        case "block_stop":
          return end(event.index)
        case "message_delta":
          stopReason = event.stopReason
          usage = { ...usage, ...event.usage }
          return undefined
        case "message_stop":
          failure = undefined
          return undefined
        case "error":
          failure = event.failure
          return undefined
        case "retry":
          return undefined
      }
    },
  }
}

const brokenOff: ModelFailure = { kind: "broken", message: "The stream ended before the answer was whole." }

const isSameCall = (a: AssistantBlock, b: AssistantBlock): boolean =>
  a.type === "tool_use" && b.type === "tool_use" && a.id === b.id

const textSoFar = ({ start, pieces }: OpenBlock): string => (start.type === "text" ? start.text : "") + pieces.join("")

function finish({ start, pieces, proofs }: OpenBlock): FinishedBlock | undefined {
  const rest = pieces.join("")
  switch (start.type) {
    case "text": {
      const text = start.text + rest
      // Providers refuse empty text, so it never enters the log.
      return text.trim() === "" ? undefined : { block: { type: "text", text, ...proofOf(start, proofs) } }
    }
    case "thinking":
      return { block: { type: "thinking", thinking: start.thinking + rest, ...proofOf(start, proofs) } }
    case "redacted_thinking":
      return { block: start }
    case "tool_use":
      return finishUse({ ...start, ...proofOf(start, proofs) }, rest)
  }
}

function proofOf({ proof }: { readonly proof?: Proof }, pieces: readonly Proof[]): { readonly proof?: Proof } {
  if (!proof && pieces.length === 0) return {}
  const [first, ...rest] = proof ? [proof, ...pieces] : pieces
  return first ? { proof: rest.reduce(joined, first) } : {}
}

const joined = (a: Proof, b: Proof): Proof =>
  typeof a.value === "string" && typeof b.value === "string" && a.by === b.by ? { ...a, value: a.value + b.value } : b

function finishUse(start: ToolUseBlock, json: string): FinishedBlock {
  if (json.trim() === "") return { block: start }
  const read = readLenient(json)
  if (read.ok && isObject(read.value)) return { block: { ...start, input: read.value } }
  return { block: { ...start, input: {} }, unreadable: unreadable(json, read.ok ? undefined : read.failure) }
}

function unreadable(json: string, failure: BadJson | undefined): string {
  const notRun = "The input of this call was not a whole JSON object"
  if (failure?.kind === "broke off")
    return `${notRun} (it broke off after ${json.length} characters), so it was not run. Send the call again; if the input is long, split the work into smaller calls.`
  const why = failure ? `malformed: ${failure.why}` : "some other value"
  // The call is kept without its input, so the model could not see what it wrote.
  const shown = json.length > shownInput ? `${json.slice(0, shownInput).toWellFormed()} […]` : json
  return `${notRun} (${why}), so it was not run. Send the call again with valid JSON: keys and strings in double quotes, and inside strings \\" for a quote and \\\\ for a backslash. It was:\n${shown}`
}

const shownInput = 300
