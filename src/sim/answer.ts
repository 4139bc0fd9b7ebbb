/** What goes over one connection in answer to one request: bytes, when, and how it ends. */

import type { JsonValue } from "#lib/json.ts"

/** Bytes due so many milliseconds after the answer started. */
export interface TimedBytes {
  readonly bytes: string
  readonly atMs: number
}

export interface Answer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly parts: readonly TimedBytes[]
  /** Sent after the last part: half a character, where a cut goes through one. */
  readonly tail?: Uint8Array
  /** `latin1`: each character of the parts is one byte, for a body that is not text. UTF-8 when absent. */
  readonly encoding?: "latin1"
  /**
   * `finish` ends well; `close` ends well and then drops the connection; `reset` breaks it off after the last part;
   * `silence` leaves it open; `nothing` breaks it off before the headers.
   */
  readonly end: "finish" | "close" | "reset" | "silence" | "nothing"
}

export interface ErrorAnswer {
  readonly status: number
  readonly type: string
  readonly message: string
  /** For providers that name the field. */
  readonly param?: string
  /** For providers that have more exact names than the type. */
  readonly code?: string
  readonly headers?: { readonly [name: string]: string }
}

export function jsonAnswer(status: number, value: JsonValue, headers: Answer["headers"] = {}): Answer {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    parts: [{ bytes: JSON.stringify(value), atMs: 0 }],
    end: "finish",
  }
}

export function errorAnswer({ status, type, message, headers = {} }: ErrorAnswer, requestId: string): Answer {
  return jsonAnswer(status, { type: "error", error: { type, message }, request_id: requestId }, headers)
}

/** An HTML page where a program expects data, as proxies send. */
export function pageAnswer(status: number, html: string): Answer {
  return { status, headers: { "content-type": "text/html" }, parts: [{ bytes: html, atMs: 0 }], end: "finish" }
}
