/** Logs of sessions for the page, as a worker would have sent them. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { AssistantBlock } from "#agent/words/message.ts"
import { noUsage } from "#agent/words/model.ts"
import type { Display } from "#agent/words/display.ts"
import { encodeEntry } from "#ground/transcript/line.ts"

const start = Date.UTC(2026, 0, 5, 9, 0, 0)

/** Each follows the one before it, a few seconds later. `from` is how many there were before. */
export function linesOf(sessionId: string, bodies: readonly EntryBody[], from = 0): readonly string[] {
  return bodies.map((body, i) => {
    const nth = from + i
    const entry: Entry = {
      ...body,
      uuid: `${sessionId}-${nth}`,
      parentUuid: nth === 0 ? null : `${sessionId}-${nth - 1}`,
      at: start + nth * 4_000,
    }
    const origin = { sessionId, cwd: "/srv/shop", version: "0.1.0", gitBranch: "main", entrypoint: "worker" }
    return encodeEntry(entry, origin)
  })
}

export const prompt = (text: string, promptId: string): EntryBody => ({
  kind: "prompt",
  content: [{ type: "text", text }],
  promptId,
})

const reply = (messageId: string, block: AssistantBlock): EntryBody => ({
  kind: "reply",
  messageId,
  model: "sim/demo",
  block,
  usage: noUsage,
})

export const said = (messageId: string, text: string): EntryBody => reply(messageId, { type: "text", text })

export const thought = (messageId: string, thinking: string): EntryBody =>
  reply(messageId, { type: "thinking", thinking })

/** The end of an answer, and how large the context is by now. */
export const ended = (messageId: string, cached: number, fresh: number, costUsd: number): EntryBody => ({
  kind: "reply_end",
  messageId,
  model: "sim/demo",
  stopReason: "end_turn",
  usage: { ...noUsage, cache_read_input_tokens: cached, input_tokens: fresh, output_tokens: 400 },
  costUsd,
  durationMs: 2_000,
})

interface Called {
  readonly id: string
  readonly tool: string
  readonly input: { readonly [name: string]: string }
  readonly title: string
  readonly text: string
  readonly display?: Display
  readonly isError?: boolean
}

/** A call with its result. */
export const called = (messageId: string, call: Called): readonly EntryBody[] => [
  reply(messageId, { type: "tool_use", id: call.id, name: call.tool, input: { ...call.input } }),
  {
    kind: "result",
    callId: call.id,
    tool: call.tool,
    title: call.title,
    content: call.text,
    isError: call.isError ?? false,
    ...(call.display && { display: call.display }),
    durationMs: 1_400,
  },
]
