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
  /** Takes a raw event of the stream, and appends what it means to `out`. */
  readonly take: (name: string | null, data: string, out: AnswerEvent[]) => Taken
  /** Takes an answer in one piece. */
  readonly takeWhole: (text: string, out: AnswerEvent[]) => Taken
  /** The stream ended: what it amounts to where the format does not mark the end of an answer. */
  readonly ended?: (out: AnswerEvent[]) => Taken
}

/** What an event of the stream amounts to, besides the events made from it. */
export type Taken =
  | { readonly kind: "more" }
  | { readonly kind: "end" }
  | { readonly kind: "garbled"; readonly why: string }
  | ({
      readonly kind: "refused"
      readonly type: string
      readonly message: string
      readonly status?: number
    } & Pick<HttpRefusal, "waitMs" | "retry">)

export const more: Taken = { kind: "more" }
export const end: Taken = { kind: "end" }
export const garbled = (why: string): Taken => ({ kind: "garbled", why })
