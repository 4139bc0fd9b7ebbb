/** What the simulated model will say, planned before it goes on the wire. */

import type { StopReason, Usage } from "#agent/words/model.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Fault } from "./faults.ts"

/** A block before its id or signature is decided. */
export type PlannedBlock =
  /** `inOneDelta` sends the text in a single event instead of word by word. */
  | {
      readonly type: "text"
      readonly text: string
      readonly inOneDelta?: true
      readonly cites?: readonly PlannedPage[]
    }
  /** Without a signature it gets one that strict checking recognises. */
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | {
      readonly type: "tool_use"
      readonly id?: string
      readonly name: string
      readonly input: JsonObject
      /** The input on the wire when it is cut off: the part sent before the end. */
      readonly cutJson?: string
    }
  /** A search run by the provider, with its results or error code. */
  | {
      readonly type: "search"
      readonly query: string
      readonly pages: readonly PlannedPage[]
      readonly error?: string
    }

export interface PlannedPage {
  readonly title: string
  readonly url: string
  readonly page_age?: string
}

/** How fast a reply arrives; all at once by default. */
export interface Timing {
  /** Milliseconds until the first byte. */
  readonly ttftMs?: number
  readonly tokensPerSecond?: number
  /** Pauses, each after so many tokens. */
  readonly pauses?: readonly { readonly afterTokens: number; readonly ms: number }[]
}

export interface Reply {
  readonly content: readonly PlannedBlock[]
  /** By default `tool_use` when there is a call, else `end_turn`. */
  readonly stopReason?: StopReason
  /** Overrides the counted numbers. */
  readonly usage?: Partial<Usage>
  readonly timing?: Timing
  readonly fault?: Fault
}

export const says = (text: string): Reply => ({ content: [{ type: "text", text }] })

/** The default when the reply does not set one. */
export function stopReasonOf(reply: Reply): StopReason {
  return reply.stopReason ?? (callsIn(reply) > 0 ? "tool_use" : "end_turn")
}

export const callsIn = (reply: Reply): number => reply.content.filter((block) => block.type === "tool_use").length
