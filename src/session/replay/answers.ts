/** A model that repeats the answers of a log, request by request. */

import type { Entry } from "#agent/words/entry.ts"
import type { AssistantBlock } from "#agent/words/message.ts"
import { noUsage, type Model, type ModelEvent, type ModelFailure } from "#agent/words/model.ts"

export interface AnsweredRequest {
  readonly messageId: string
  readonly blocks: readonly AssistantBlock[]
  readonly end: (Entry & { readonly kind: "reply_end" }) | undefined
  /** The failure of a request that got no answer, as far as the log tells. */
  readonly failure: ModelFailure
}

export interface ReplayModel extends Model {
  /** Called with the number of the request, from 0, before its answer ends. */
  onAnswer: (number: number) => void
}

export function openReplayModel(entries: readonly Entry[]): ReplayModel {
  const answers = answersIn(entries)
  const summaries = summariesIn(entries)
  let asked = 0

  const port: ReplayModel = {
    onAnswer: () => {},
    // The same tools as then, or the very first request would differ.
    searchesWeb: () => offered(entries, "WebSearch"),
    async *stream(request, signal) {
      if (request.purpose !== undefined) return yield* spoken(aside(summaries.shift()))
      const number = asked++
      const answer = answers[number]
      if (!answer)
        return yield { type: "error", failure: { kind: "rejected", message: "The log has no more answers." } }
      if (answer.blocks.length === 0 && !answer.end) return yield { type: "error", failure: answer.failure }
      yield* said(answer)
      port.onAnswer(number)
      if (answer.end?.cut === "aborted") await aborted(signal)
      if (answer.end?.cut) return yield { type: "error", failure: answer.end.failure ?? answer.failure }
      yield {
        type: "message_delta",
        stopReason: answer.end?.stopReason ?? "end_turn",
        usage: answer.end?.usage ?? noUsage,
      }
      yield { type: "message_stop" }
    },
  }
  return port
}

const offered = (entries: readonly Entry[], tool: string): boolean =>
  entries.some((entry) => entry.kind === "setup" && entry.tools.some(({ name }) => name === tool))

/** The result of each summary request: the summary, or undefined where unknown. */
function summariesIn(entries: readonly Entry[]): (string | undefined)[] {
  const summaries: (string | undefined)[] = []
  for (const entry of entries) {
    if (entry.kind === "request" && entry.summary && !entry.summary.ahead) summaries.push(undefined)
    if (entry.kind === "compaction" && entry.by === "model" && entry.covers === undefined)
      summaries[Math.max(0, summaries.length - 1)] = entry.summary
  }
  return summaries
}

function answersIn(entries: readonly Entry[]): readonly AnsweredRequest[] {
  const answers: AnsweredRequest[] = []
  let open = false
  for (const entry of entries) {
    const last = answers.at(-1)
    // The text of a summary is in its compaction entry.
    if (entry.kind === "request" && entry.summary?.ahead) continue
    if (entry.kind === "request" && entry.summary) {
      open = false
      continue
    }
    if (entry.kind === "request") {
      answers.push({ messageId: "", blocks: [], end: undefined, failure: broken })
      open = true
      continue
    }
    if (!last || !open) continue
    const put = (change: Partial<AnsweredRequest>): void => void (answers[answers.length - 1] = { ...last, ...change })
    if (entry.kind === "reply") put({ messageId: entry.messageId, blocks: [...last.blocks, entry.block] })
    if (entry.kind === "reply_end") {
      put({ end: entry, messageId: entry.messageId })
      open = false
    }
    if (entry.kind === "shrink") put({ failure: { kind: "too_long", message: entry.why } })
    if (entry.kind === "model" && entry.why === "fallback") put({ failure: { kind: "overloaded", message: entry.why } })
    if (entry.kind === "turn_end") {
      put({ failure: { kind: "rejected", message: entry.message ?? "The request got no answer." } })
      open = false
    }
  }
  return answers
}

const broken: ModelFailure = { kind: "broken", message: "The answer was cut off." }

function* said({ messageId, blocks }: AnsweredRequest): Generator<ModelEvent> {
  yield { type: "message_start", id: messageId, model: "", usage: noUsage }
  for (const [index, block] of blocks.entries()) yield* blockEvents(block, index)
}

/** A block as a stream would deliver it: empty at first, then its content. */
function* blockEvents(block: AssistantBlock, index: number): Generator<ModelEvent> {
  switch (block.type) {
    case "text":
      yield { type: "block_start", index, block: { type: "text", text: "" } }
      yield { type: "text_delta", index, text: block.text }
      if (block.proof) yield { type: "proof_delta", index, proof: block.proof }
      break
    case "thinking":
      yield { type: "block_start", index, block: { type: "thinking", thinking: "" } }
      yield { type: "thinking_delta", index, thinking: block.thinking }
      if (block.proof) yield { type: "proof_delta", index, proof: block.proof }
      break
    case "tool_use":
      yield { type: "block_start", index, block: { ...block, input: {} } }
      yield { type: "input_delta", index, json: JSON.stringify(block.input) }
      break
    default:
      yield { type: "block_start", index, block }
  }
  yield { type: "block_stop", index }
}

/** Side requests were not recorded, except for summaries, which are known by their result. */
function aside(summary: string | undefined): AnsweredRequest {
  const text = summary ?? ""
  return { messageId: "aside", blocks: text === "" ? [] : [{ type: "text", text }], end: undefined, failure: broken }
}

function* spoken(answer: AnsweredRequest): Generator<ModelEvent> {
  if (answer.blocks.length === 0)
    return yield {
      type: "error",
      failure: { kind: "rejected", message: "This was asked on the side and is not in the log." },
    }
  yield* said(answer)
  yield { type: "message_delta", stopReason: "end_turn", usage: noUsage }
  yield { type: "message_stop" }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener("abort", () => resolve(), { once: true })
  })
