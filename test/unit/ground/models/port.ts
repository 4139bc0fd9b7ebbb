/** Opens the port as a test needs it, and collects what it says. */

import { expect } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import type { ModelEvent, Request } from "#agent/words/model.ts"
import { type AnthropicChoice, anthropicProvider } from "#ground/models/anthropic/provider.ts"
import { type Models, type ModelsParts, openModels } from "#ground/models/router.ts"
import { seededIds } from "#lib/ids.ts"
import { fakeClock } from "./fake-clock.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

const userSays = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] })

export const requestOf = (more: Partial<Request> = {}): Request => ({
  model: "claude-test",
  system: [],
  tools: [],
  messages: [userSays("hello")],
  maxTokens: 1_000,
  thinking: { type: "off" },
  delivery: "stream",
  repeat: 0,
  ...more,
})

export function openPort(
  url: string,
  { provider, ...more }: Partial<ModelsParts> & { readonly provider?: AnthropicChoice } = {},
): Models {
  return openModels([anthropicProvider({ baseUrl: url, apiKey: "key-1", ...provider })], {
    clock: fakeClock(),
    ids: seededIds(7),
    network: directNetwork(),
    ...more,
  })
}

async function collect(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  return Array.fromAsync(events)
}

/** Asks once and tells everything that was said. */
export const ask = (
  port: Models,
  more: Partial<Request> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ModelEvent[]> => collect(port.stream(requestOf(more), signal))

/** The answer that says one thing, as the port tells it. */
export const said = (text: string, id = "msg_1"): ModelEvent[] => [
  {
    type: "message_start",
    id,
    model: "claude-test",
    usage: { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 5 },
  },
  { type: "block_start", index: 0, block: { type: "text", text: "" } },
  { type: "text_delta", index: 0, text },
  { type: "block_stop", index: 0 },
  { type: "message_delta", stopReason: "end_turn", usage: { output_tokens: 7 } },
  { type: "message_stop" },
]

/** The failures an answer had on its way: of each announced wait, and of the end. */
/** The same, from a server that repeats an id it used before: the port gives the message a fresh one. */
export const saidAgain = (text: string): ModelEvent[] =>
  said(text, expect.stringMatching(/^msg_(?!1$)/) as unknown as string)

export const failuresIn = (events: readonly ModelEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === "retry") return [`retry ${event.retry.failure.kind}`]
    return event.type === "error" ? [event.failure.kind] : []
  })

/** Waits for something that another task brings about. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(1)
}
