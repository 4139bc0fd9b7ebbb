/** A program that drives a session: what it does for the session, and what it brings along. See decision 68. */

import type { JsonObject } from "#lib/json.ts"

/** Requests to the client. Both reject when it refuses, answers with an error, or is gone; the signal withdraws a request. */
export interface Client {
  /** Runs a callback of the client; the answer is what a hook would print as JSON, `{}` for nothing. */
  readonly hook: (
    callbackId: string,
    input: JsonObject,
    toolUseId: string | undefined,
    signal: AbortSignal,
  ) => Promise<JsonObject>
  /** Passes one JSON-RPC message to a server inside the client. The answer to a notification means nothing. */
  readonly mcpMessage: (server: string, message: JsonObject, signal: AbortSignal) => Promise<JsonObject>
}

export interface ClientHooks {
  readonly [event: string]: readonly ClientHookGroup[]
}

export interface ClientHookGroup {
  /** All when absent. */
  readonly matcher?: string
  readonly hookCallbackIds: readonly string[]
  /** In seconds. */
  readonly timeout?: number
  /** `block`: if one fails, what the event is about does not happen. */
  readonly onFailure?: "continue" | "block"
}
