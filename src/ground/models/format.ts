/** A wire format: how a request becomes bytes, and how its answer is read. */

import type { Request } from "#agent/words/model.ts"
import type { AnswerEvent } from "./attempt.ts"
import type { ServerDialect } from "./dialect.ts"
import type { HttpRefusal } from "./failure.ts"
import type { PortParts } from "./provider.ts"
import type { Framing } from "./server-sent-events.ts"

export type OpenFormat = (dialect: ServerDialect, parts: Pick<PortParts, "toolIds" | "messageIds">) => WireFormat

export interface WireFormat {
  readonly encode: (request: Request) => Encoded
  /**
   * Learns from a refusal: says, in a line for the user, what is left out from now on; the request is worth sending
   * again then. It must run out of things to leave out.
   */
  readonly adapt?: (request: Request, refusal: Omit<HttpRefusal, "voice">) => string | undefined
  /** One for each attempt. */
  readonly openDecoder: (request: Request) => Decoder
  /** How streams may be framed, the usual one first; server-sent events when absent. */
  readonly framings?: readonly Framing[]
}

export interface Encoded {
  readonly body: Uint8Array<ArrayBuffer>
  /** After the base URL. */
  readonly path: string
  /** In addition to those of every request; one that is there already is extended. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** Allows the memory of the body to be reused. Call only when no one reads it any more. */
  readonly release: () => void
}

export interface Decoder {
  /** Decodes a raw event of the stream, and appends what it means to `out`. */
  readonly decodeEvent: (name: string | null, data: string, out: AnswerEvent[]) => DecodeStatus
  /** Decodes an answer in one piece. */
  readonly decodeWhole: (text: string, out: AnswerEvent[]) => DecodeStatus
  /** The stream ended: what it amounts to where the format does not mark the end of an answer. */
  readonly ended?: (out: AnswerEvent[]) => DecodeStatus
}

/** What an event of the stream amounts to, besides the events made from it. */
export type DecodeStatus =
  | { readonly kind: "more" }
  | { readonly kind: "end" }
  | { readonly kind: "garbled"; readonly why: string }
  | ({
      readonly kind: "refused"
      readonly type: string
      readonly message: string
      readonly status?: number
    } & Pick<HttpRefusal, "waitMs" | "retry">)

export const more: DecodeStatus = { kind: "more" }
export const end: DecodeStatus = { kind: "end" }
export const garbled = (why: string): DecodeStatus => ({ kind: "garbled", why })
