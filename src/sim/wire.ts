/** A wire format that the simulator serves: how requests are read, and how what it says is written. */

import type { JsonObject } from "#lib/json.ts"
import type { Answer, ErrorAnswer } from "./answer.ts"
import type { Spoken, StreamPiece } from "./spoken.ts"
import type { Segment } from "./measure.ts"
import type { SimRequest } from "./request.ts"
import type { Headers } from "./strict.ts"

export interface SimWire {
  readonly checkHeaders: (headers: Headers) => ErrorAnswer | undefined
  /** The request in the terms of Messages, which scenarios and the cache speak. */
  readonly decode: (body: JsonObject, path: string) => SimRequest
  readonly checkBody: (
    request: SimRequest,
    segments: readonly Segment[],
    asked: { readonly headers: Headers; readonly purpose: "answer" | "count" },
  ) => ErrorAnswer | undefined
  /** How streams are announced, where not as server-sent events; `binary`: each character of a piece is one byte. */
  readonly streams?: { readonly contentType: string; readonly binary: boolean }
  readonly stream: (spoken: Spoken, request: SimRequest) => readonly StreamPiece[]
  readonly whole: (spoken: Spoken, request: SimRequest) => JsonObject
  readonly error: (error: ErrorAnswer, requestId: string) => Answer
  /** What faults put into a stream. */
  readonly odd: {
    readonly ping: StreamPiece
    readonly malformed: StreamPiece
    readonly unknown: StreamPiece
    readonly error: (type: string, message: string) => StreamPiece
  }
}
