/** The port to whoever thinks. A provider turns a request into model events; it never throws. */

import type { JsonObject } from "#lib/json.ts"
import type { AssistantBlock, Message, Proof } from "./message.ts"
import type { Thinking, ThinkingAbility } from "./thinking.ts"

export interface SystemPart {
  readonly text: string
}

/** A tool as the model reads it. */
export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonObject
  /**
   * Not before the model until a result refers to it, and so no part of what the provider keeps of a request's beginning.
   * Such tools come after all others. A provider that cannot defer leaves them out, and gives their words for references.
   */
  readonly deferred?: true
}

/** A tool's definition in words, for a model that can be given it in no other way. */
export const definitionText = ({ name, description, input_schema }: ToolSpec): string =>
  `${name}\n${description}\nWhat it takes, as JSON Schema: ${JSON.stringify(input_schema)}`

/** A tool that the provider runs itself while it answers: a search of the web. Providers take allowed or blocked domains, not both. */
export interface ServerSearch {
  readonly type: "web_search"
  /** Searches it may make for one answer. */
  readonly maxUses: number
  readonly allowedDomains?: readonly string[]
  readonly blockedDomains?: readonly string[]
}

/** A page that the provider's search found. `age` is as the engine says it: a date, or words. */
export interface FoundPage {
  readonly title: string
  readonly url: string
  readonly age?: string
}

/** Everything a provider needs for one request. Messages keep their identity from request to request, so that they are serialised once. */
export interface Request {
  readonly model: string
  readonly system: readonly SystemPart[]
  readonly tools: readonly ToolSpec[]
  /** Tools that run at the provider; only for a port that says it has them. */
  readonly serverTools?: readonly ServerSearch[]
  readonly messages: readonly Message[]
  /** What it is for, where it is not the next answer of the conversation. Providers hear nothing of it. */
  readonly purpose?: "summary" | "aside"
  readonly maxTokens: number
  readonly thinking: Thinking
  /** `whole` asks for one answer instead of a stream: the way out when streams keep breaking. */
  readonly delivery: "stream" | "whole"
  /** How many answers in a row were cut off after content; the port waits accordingly before it sends. */
  readonly repeat: number
}

/**
 * What a request used. The four counts exclude each other: input is what was neither read from the cache nor written
 * to it, so that the whole prompt is the sum of three. Adapters of providers that count otherwise convert.
 */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  /** Searches that the provider made; absent where it was not asked to. */
  readonly web_search_requests?: number
}

export const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
}

export function addUsage(a: Usage, b: Usage): Usage {
  const searches = (a.web_search_requests ?? 0) + (b.web_search_requests ?? 0)
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    ...(searches > 0 && { web_search_requests: searches }),
  }
}

/** Why the model stopped. Providers' other words are passed on as they are. */
export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded"
  | (string & {})

/** What a request came to when it did not come to an answer. The kind decides what happens next; the message is for a person. */
export type ModelFailure = { readonly message: string; readonly status?: number } & (
  | { readonly kind: "unreachable" }
  /** The stream ended or garbled after content was received: what is complete counts, the rest must be asked for again. */
  | { readonly kind: "broken" }
  | { readonly kind: "overloaded" }
  /** Where the provider said when the limit is lifted, the message does. */
  | { readonly kind: "rate_limited" }
  | { readonly kind: "too_long" }
  | { readonly kind: "too_large" }
  /** The provider does not take the conversation as it is. */
  | { readonly kind: "malformed" }
  /** The provider does not take the request for another reason, such as a wrong setting or address. */
  | { readonly kind: "rejected" }
  | { readonly kind: "unauthorized" }
  /** No provider here has the model: nothing was sent. */
  | { readonly kind: "no_provider" }
  | { readonly kind: "server" }
  | { readonly kind: "aborted" }
)

/** One attempt that failed and will be made again after a wait. */
export interface Retry {
  readonly attempt: number
  readonly of: number
  readonly delayMs: number
  readonly failure: ModelFailure
}

/** What a provider says while it answers. `error` is always the last event of its stream, and so is `message_stop`. */
export type ModelEvent =
  | { readonly type: "message_start"; readonly id: string; readonly model: string; readonly usage: Usage }
  | { readonly type: "block_start"; readonly index: number; readonly block: AssistantBlock }
  | { readonly type: "text_delta"; readonly index: number; readonly text: string }
  | { readonly type: "thinking_delta"; readonly index: number; readonly thinking: string }
  /** Proofs that are strings come in pieces; any other replaces the one before. */
  | { readonly type: "proof_delta"; readonly index: number; readonly proof: Proof }
  | { readonly type: "input_delta"; readonly index: number; readonly json: string }
  /** The text of a block rests on this page. Only where a search was asked for, like the next. */
  | { readonly type: "citation_delta"; readonly index: number; readonly page: FoundPage }
  /** A search at the provider is done: with pages, or with the provider's word for what went wrong. */
  | { readonly type: "search_result"; readonly pages: readonly FoundPage[]; readonly error?: string }
  | { readonly type: "block_stop"; readonly index: number }
  /** Usage is cumulative: it replaces what was said before, field by field. */
  | { readonly type: "message_delta"; readonly stopReason: StopReason; readonly usage: Partial<Usage> }
  | { readonly type: "message_stop" }
  | { readonly type: "retry"; readonly retry: Retry }
  | { readonly type: "error"; readonly failure: ModelFailure }

export interface Model {
  readonly stream: (request: Request, signal: AbortSignal) => AsyncIterable<ModelEvent>
  /** Whether this model can search the web at the provider; absent where no model of the port can. */
  readonly searchesWeb?: (model: string) => boolean
}

/** What is known of a model: its limits and what it can do. */
export interface ModelFacts {
  readonly id: string
  /** Who answers for it: the name in its proofs. */
  readonly provider: string
  readonly window: number
  readonly maxOutput: number
  /** Whether its provider takes tools that are loaded later; no when absent. */
  readonly defersTools?: boolean
  /** Whether its provider can search the web for it; no when absent. */
  readonly searchesWeb?: boolean
  /** What it can be told about thinking; absent where nothing is known. */
  readonly thinks?: ThinkingAbility
  /** How long its provider keeps the beginning of a conversation that nobody asks for; absent where it keeps nothing. */
  readonly cacheKeptMs?: number
}
