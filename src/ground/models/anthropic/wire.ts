/** The HTTP side of the Messages API: the official client, without its retries, its reading of the environment and its headers. */

import { BaseAnthropic } from "@anthropic-ai/sdk/client"
import { APIConnectionError, APIError, APIUserAbortError } from "@anthropic-ai/sdk/core/error"
import { Stream } from "@anthropic-ai/sdk/core/streaming"
import type { Refusal } from "#ground/models/failure.ts"
import { networkWords } from "#ground/models/network-words.ts"
import { isObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** Why no answer came. */
export type WireFailure =
  | { readonly kind: "refused"; readonly refusal: Omit<Refusal, "keyAdvice"> }
  | { readonly kind: "unreachable"; readonly why: string }
  | { readonly kind: "aborted" }
  | { readonly kind: "unusable"; readonly why: string }

/** An event of the stream before it is understood. */
export interface RawEvent {
  readonly event: string | null
  readonly data: string
}

/** Sends bytes and reads events. */
export interface Wire {
  readonly send: (
    body: Uint8Array<ArrayBuffer>,
    headers: Headers,
    signal: AbortSignal,
  ) => Promise<Result<Response, WireFailure>>
  readonly events: (response: Response) => AsyncIterator<RawEvent>
}

/** Our own watch is shorter than this in every case; it only has to be out of the way. */
const clientTimeoutMs = 24 * 60 * 60_000

/** One client, and with it one pool of connections, for one address. */
export function openWire(baseUrl: string): Wire {
  const client = new MessagesClient({
    baseURL: baseUrl,
    apiKey: null,
    authToken: null,
    webhookKey: null,
    maxRetries: 0,
    timeout: clientTimeoutMs,
    logLevel: "off",
    openTelemetry: false,
  })
  return {
    async send(body, headers, signal) {
      try {
        return ok(await client.post("/v1/messages", { body, headers, signal }).asResponse())
      } catch (error) {
        return failed(understand(error))
      }
    },
    events: (response) => Stream.rawEvents(response)[Symbol.asyncIterator](),
  }
}

/** The client as the other platforms' packages extend it: the request is what we say it is. */
class MessagesClient extends BaseAnthropic {
  protected override _shouldResolveDefaultCredentials(): boolean {
    return false
  }

  /** Gathering its own headers first, only to drop them for ours, would take the client longer than the rest of a request. */
  override async buildRequest({ path, body, headers, signal }: Options): ReturnType<BaseAnthropic["buildRequest"]> {
    const req = {
      method: "POST",
      headers: headers instanceof Headers ? headers : new Headers(),
      ...(body instanceof Uint8Array && { body }),
      ...(signal && { signal }),
      // A redirect would carry the key to wherever it points.
      redirect: "manual" as const,
    }
    return { req, url: this.buildURL(path, undefined), timeout: this.timeout }
  }
}

type Options = Parameters<BaseAnthropic["buildRequest"]>[0]

function understand(error: unknown): WireFailure {
  if (error instanceof APIUserAbortError) return { kind: "aborted" }
  if (error instanceof APIConnectionError) return { kind: "unreachable", why: networkWords(error.cause ?? error) }
  if (error instanceof APIError && error.status !== undefined)
    return {
      kind: "refused",
      refusal: {
        status: error.status,
        ...(typeof error.type === "string" && { type: error.type }),
        message: wordsOf(error),
        headers: error.headers ?? new Headers(),
      },
    }
  return { kind: "unusable", why: networkWords(error) }
}

/** The provider's own words; gateways put them in other places than the provider does. */
function wordsOf(error: APIError): string {
  if (typeof error.apiMessage === "string") return error.apiMessage
  const body: unknown = error.error
  if (isObject(body)) {
    if (typeof body.message === "string") return body.message
    if (typeof body.error === "string") return body.error
    return JSON.stringify(body)
  }
  return error.message.replace(/^\d{3} (?:status code \(no body\))?/, "")
}
