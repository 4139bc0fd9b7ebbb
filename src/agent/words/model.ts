/** The port to the model. A provider turns a request into model events; it never throws. */

import type { JsonObject } from "#lib/json.ts"
import type { AssistantBlock, Message, Proof } from "./message.ts"
import type { Thinking, ThinkingAbility } from "./thinking.ts"

export interface SystemPart {
  readonly text: string
}

export interface ToolSpec {
  readonly name: string
  readonly description: string
  readonly input_schema: JsonObject
  /**
   * Hidden from the model until a result refers to it, and so not part of the cached prefix. Such tools come after
   * all others. A provider that cannot defer leaves them out, and sends their definitions as text for references.
   */
  readonly deferred?: true
}

/** For a model that cannot take the definition in any other way. */
export const definitionText = ({ name, description, input_schema }: ToolSpec): string =>
  `${name}\n${description}\nWhat it takes, as JSON Schema: ${JSON.stringify(input_schema)}`

/** A tool that runs at the provider: web search. Providers take allowed or blocked domains, not both. */
export interface ServerSearch {
  readonly type: "web_search"
  /** Searches per answer. */
  readonly maxUses: number
  readonly allowedDomains?: readonly string[]
  readonly blockedDomains?: readonly string[]
}

/** A page found by the provider's search. `age` is in the engine's words: a date, or a phrase. */
export interface FoundPage {
  readonly title: string
  readonly url: string
  readonly age?: string
}

/**
 * Everything a provider needs for one request. Messages keep their identity from request to request, so that they are
 * serialised once.
 */
export interface Request {
  readonly model: string
  readonly system: readonly SystemPart[]
  readonly tools: readonly ToolSpec[]
  /** Tools that run at the provider; only for a port that supports them. */
  readonly serverTools?: readonly ServerSearch[]
  readonly messages: readonly Message[]
  /** Set when it is not the next answer of the conversation. Not sent to providers. */
  readonly purpose?: "summary" | "aside"
  readonly maxTokens: number
  readonly thinking: Thinking
  /** `whole` asks for one answer instead of a stream: the fallback when streams keep breaking. */
  readonly delivery: "stream" | "whole"
  /** How many answers in a row were cut off after content; the port waits accordingly before it sends. */
  readonly repeat: number
}

/**
 * What a request used. The four counts are disjoint: input is what was neither read from the cache nor written to it,
 * so the whole prompt is the sum of three. Adapters for providers that count differently convert.
 */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  /** Absent if no search was requested. */
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

/** All that was sent, cached or not. */
export const promptTokens = (usage: Usage): number =>
  usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens

export const allTokens = (usage: Usage): number => promptTokens(usage) + usage.output_tokens

/** Other values from providers are passed on unchanged. */
export type StopReason =
  | "end_turn"
  | "tool_use"
  | "max_tokens"
  | "stop_sequence"
  | "pause_turn"
  | "refusal"
  | "model_context_window_exceeded"
  | (string & {})

/** Why a request got no answer. The kind decides what happens next; the message is for the user. */
export type ModelFailure = { readonly message: string; readonly status?: number } &
  /** `silentMs`: how long it was waited for an answer that did not begin. */
  (
    | { readonly kind: "unreachable"; readonly silentMs?: number }
    /**
     * The stream ended or was garbled after content was received: what is complete counts, the rest must be requested
     * again.
     */
    | { readonly kind: "broken" }
    | { readonly kind: "overloaded" }
    /** If the provider said when the limit is lifted, the message says so too. */
    | { readonly kind: "rate_limited" }
    /** The account has no credit left, or its quota is used up: waiting does not help. */
    | { readonly kind: "no_credit" }
    | { readonly kind: "too_long" }
    | { readonly kind: "too_large" }
    /** The provider rejects the conversation as it is. */
    | { readonly kind: "malformed" }
    /** The provider rejects the request for another reason, such as a wrong setting or address. */
    | { readonly kind: "rejected" }
    | { readonly kind: "unauthorized" }
    /** No provider here has the model: nothing was sent. */
    | { readonly kind: "no_provider" }
    | { readonly kind: "server" }
    | { readonly kind: "aborted" }
  )

export interface Retry {
  readonly attempt: number
  readonly of: number
  readonly delayMs: number
  readonly failure: ModelFailure
}

/** Emitted while a provider answers. `error` and `message_stop` always end the stream. */
export type ModelEvent =
  | {
      readonly type: "message_start"
      readonly id: string
      readonly model: string
      readonly usage: Usage
      /** The provider's name for the request, to ask it about one; absent if it gave none. */
      readonly requestId?: string
    }
  | { readonly type: "block_start"; readonly index: number; readonly block: AssistantBlock }
  | { readonly type: "text_delta"; readonly index: number; readonly text: string }
  | { readonly type: "thinking_delta"; readonly index: number; readonly thinking: string }
  /** String proofs arrive in pieces; any other kind replaces the previous one. */
  | { readonly type: "proof_delta"; readonly index: number; readonly proof: Proof }
  | { readonly type: "input_delta"; readonly index: number; readonly json: string }
  /** The text of a block cites this page. Only where a search was requested, like the next. */
  | { readonly type: "citation_delta"; readonly index: number; readonly page: FoundPage }
  /** A search at the provider is done: with pages, or with the provider's error. */
  | { readonly type: "search_result"; readonly pages: readonly FoundPage[]; readonly error?: string }
  | { readonly type: "block_stop"; readonly index: number }
  /** Usage is cumulative: it replaces earlier values, field by field. */
  | { readonly type: "message_delta"; readonly stopReason: StopReason; readonly usage: Partial<Usage> }
  | { readonly type: "message_stop" }
  | { readonly type: "retry"; readonly retry: Retry }
  | { readonly type: "error"; readonly failure: ModelFailure }

export interface Model {
  readonly stream: (request: Request, signal: AbortSignal) => AsyncIterable<ModelEvent>
  /** Whether this model can search the web at the provider; absent if no model of the port can. */
  readonly searchesWeb?: (model: string) => boolean
}

export interface ModelFacts {
  readonly id: string
  /** The name in its proofs. */
  readonly provider: string
  readonly window: number
  readonly maxOutput: number
  /** Whether its provider supports deferred tools; no when absent. */
  readonly defersTools?: boolean
  /** Whether its provider can search the web; no when absent. */
  readonly searchesWeb?: boolean
  /** Absent where nothing is known. */
  readonly thinks?: ThinkingAbility
  /** How it is spoken to; by the size of its window when absent. */
  readonly profile?: Profile
  /** How long its provider caches the prefix of an idle conversation; absent if it caches nothing. */
  readonly cacheKeptMs?: number
  /** What a request may have besides text; what is not said may be sent. */
  readonly images?: boolean
  /** PDF files. */
  readonly documents?: boolean
  /** `never`: it takes no tools. */
  readonly tools?: "never"
  /** `never`: it makes one call at a time, and takes no more in a message. */
  readonly parallelCalls?: "never"
  /** Whether its provider makes answers fit a schema. */
  readonly structured?: boolean
  /** `marks`: what to cache is marked in a request. `automatic`: the provider finds out. */
  readonly cache?: "marks" | "automatic" | "none"
  /** What had to be assumed about it, in a line for the user; absent where it is known. */
  readonly assumed?: string
  /** What its provider turned out not to take, in a line each for the user. It grows. */
  readonly refused?: () => readonly string[]
}

/** `small`: few tools and few words, for models with little room or little skill. */
export type Profile = "small" | "full"

/** Below this, tools and prompt in full would take a fifth of the window and more. */
const fullWindow = 32_000

export const isSmall = ({ profile, window }: Pick<ModelFacts, "profile" | "window">): boolean =>
  profile === undefined ? window < fullWindow : profile === "small"
