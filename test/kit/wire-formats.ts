/** The wire formats that models are asked in, with a provider for each: what holds for one must hold for all. */

import { anthropicProvider } from "#ground/models/anthropic/provider.ts"
import { formats } from "#ground/models/formats.ts"
import type { Provider } from "#ground/models/provider.ts"
import { bedrockAt, foundryAt, vertexAt } from "./clouds.ts"
import { serverProvider } from "#ground/models/server-provider.ts"

export interface WireFormat {
  readonly name: string
  /** A model of its provider. */
  readonly model: string
  readonly provider: (url: string) => Provider
  /** Faults that mean nothing on this wire. */
  readonly lacks: readonly string[]
  /** What a fault costs where it differs from Messages. */
  readonly survives: { readonly [fault: string]: { readonly requests: number; readonly orphans: number } }
}

export const wireFormats: {
  readonly messages: WireFormat
  readonly chat: WireFormat
  readonly responses: WireFormat
  readonly gemini: WireFormat
  readonly bedrock: WireFormat
} = {
  messages: {
    name: "Messages",
    model: "claude-sonnet-5",
    provider: (url) => anthropicProvider({ baseUrl: url, apiKey: "test" }),
    lacks: [],
    survives: {},
  },
  chat: {
    name: "Chat Completions",
    model: "local/chat-1",
    provider: (url) =>
      serverProvider({
        name: "local",
        who: "The local server",
        format: formats["openai-chat"],
        baseUrl: `${url}/v1`,
        apiKey: "test",
        keyHeader: "authorization",
        models: { "chat-1": {} },
        usual: { window: 200_000, maxOutput: 32_000, images: true, documents: true },
        keyWords: () => ({ which: "The key", advice: "Set another one." }),
      }),
    // It has no words for pausing, and none for a full window.
    lacks: ["pause_turn", "window_exceeded"],
    // A call has no end of its own, so one that may not be whole is asked for again.
    survives: { reset_after_tool_call: { requests: 3, orphans: 1 } },
  },
  responses: {
    name: "Responses",
    model: "openai/gpt-5",
    provider: (url) =>
      serverProvider({
        name: "openai",
        who: "OpenAI",
        format: formats["openai-responses"],
        baseUrl: `${url}/v1`,
        apiKey: "test",
        keyHeader: "authorization",
        models: { "gpt-5": {} },
        usual: { window: 200_000, maxOutput: 32_000, images: true, documents: true },
        keyWords: () => ({ which: "The key", advice: "Set another one." }),
      }),
    // It has no words for pausing, and none for a full window.
    lacks: ["pause_turn", "window_exceeded"],
    survives: {},
  },
  gemini: {
    name: "Gemini",
    model: "gemini/gemini-4-argon",
    provider: (url) =>
      serverProvider({
        name: "gemini",
        who: "Google",
        format: formats.gemini,
        baseUrl: `${url}/v1beta`,
        apiKey: "test",
        keyHeader: "x-goog-api-key",
        models: { "gemini-4-argon": {} },
        usual: { window: 200_000, maxOutput: 32_000, images: true, documents: true },
        keyWords: () => ({ which: "The key", advice: "Set another one." }),
      }),
    // It has no words for pausing, and none for a full window.
    lacks: ["pause_turn", "window_exceeded"],
    // A call comes in one event, so half of the answer has a call that is whole.
    survives: Object.fromEntries(
      ["reset_mid_event", "truncated_event", "malformed_json", "error_event"].map((fault) => [
        fault,
        { requests: 3, orphans: 0 },
      ]),
    ),
  },
  bedrock: {
    name: "Amazon Bedrock",
    model: "bedrock/claude-sonnet-5",
    // Signed, and without other credentials to try when these are refused.
    provider: (url) => bedrockAt(url, {}, { hasOtherKey: false }),
    lacks: [],
    survives: {},
  },
}

/** Messages over other addresses: as strict about faults, and not worth every other suite. */
export const otherClouds: readonly WireFormat[] = [
  {
    name: "Vertex AI",
    model: "vertex/claude-sonnet-5",
    provider: (url) => vertexAt(url),
    lacks: [],
    survives: {},
  },
  {
    name: "Foundry",
    model: "foundry/claude-sonnet-5",
    provider: (url) => foundryAt(url),
    lacks: [],
    survives: {},
  },
]
