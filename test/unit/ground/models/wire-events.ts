/** The provider's events, written short, and replies made of them. */

import type { JsonObject } from "#lib/json.ts"
import type { Line, Reply } from "./raw-server.ts"

export const sse = (event: JsonObject): string => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`

export const start = (id = "msg_1", more: JsonObject = {}): JsonObject => ({
  type: "message_start",
  message: {
    id,
    type: "message",
    role: "assistant",
    model: "claude-test",
    content: [],
    usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 5, cache_creation_input_tokens: null },
    ...more,
  },
})
export const blockStart = (index: number, content_block: JsonObject): JsonObject => ({
  type: "content_block_start",
  index,
  content_block,
})
export const delta = (index: number, piece: JsonObject): JsonObject => ({
  type: "content_block_delta",
  index,
  delta: piece,
})
export const blockStop = (index: number): JsonObject => ({ type: "content_block_stop", index })
export const messageDelta = (
  stop_reason: string | null = "end_turn",
  usage: JsonObject = { output_tokens: 7 },
): JsonObject => ({
  type: "message_delta",
  delta: { stop_reason, stop_sequence: null },
  usage,
})
export const stop: JsonObject = { type: "message_stop" }
export const ping: JsonObject = { type: "ping" }

export const textBlock = (index: number, ...pieces: readonly string[]): readonly JsonObject[] => [
  blockStart(index, { type: "text", text: "" }),
  ...pieces.map((text) => delta(index, { type: "text_delta", text })),
  blockStop(index),
]
export const toolBlock = (
  index: number,
  id: string,
  name: string,
  ...json: readonly string[]
): readonly JsonObject[] => [
  blockStart(index, { type: "tool_use", id, name, input: {} }),
  ...json.map((partial_json) => delta(index, { type: "input_json_delta", partial_json })),
  blockStop(index),
]

/** A whole answer that says one thing. */
export const saying = (text: string, id = "msg_1"): readonly JsonObject[] => [
  start(id),
  ...textBlock(0, text),
  messageDelta(),
  stop,
]

/** Streams events and ends well. */
export const streams =
  (...events: readonly JsonObject[]): Reply =>
  async (line) => {
    await line.begin()
    await line.chunk(events.map(sse).join(""))
    await line.finish()
  }

/** Streams events, then does something else. */
export const streamsThen =
  (events: readonly JsonObject[], then: (line: Line) => unknown): Reply =>
  async (line) => {
    await line.begin()
    if (events.length > 0) await line.chunk(events.map(sse).join(""))
    await then(line)
  }

/** Refuses with a status, as the provider does. */
export const refuses =
  (status: number, type: string, message: string, headers: { readonly [name: string]: string } = {}): Reply =>
  async (line) => {
    await line.begin(`${status} Refused`, { "content-type": "application/json", ...headers })
    await line.chunk(JSON.stringify({ type: "error", error: { type, message }, request_id: "req_1" }))
    await line.finish()
  }
