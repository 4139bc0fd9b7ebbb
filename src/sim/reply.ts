/** What the simulated model will say, planned before it is put on the wire. */

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
  /** Without a signature it gets one that strict checking knows again. */
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | {
      readonly type: "tool_use"
      readonly id?: string
      readonly name: string
      readonly input: JsonObject
      /** The input as it goes over the wire when it is cut off: what was said of it before the end. */
      readonly cutJson?: string
    }
  /** A search that the provider makes itself, with what it finds or the code of its error. */
  | {
      readonly type: "search"
      readonly query: string
      readonly pages: readonly PlannedPage[]
      readonly error?: string
    }

/** A page that a search finds or a text rests on. */
export interface PlannedPage {
  readonly title: string
  readonly url: string
  readonly page_age?: string
}

/** How fast a reply comes. Without it, all at once. */
export interface Timing {
  /** Milliseconds until the first byte. */
  readonly ttftMs?: number
  readonly tokensPerSecond?: number
  /** Silences on the way, each once so many tokens were said. */
  readonly pauses?: readonly { readonly afterTokens: number; readonly ms: number }[]
}

/** One answer of the model, as planned. */
export interface Reply {
  readonly content: readonly PlannedBlock[]
  /** Without it: `tool_use` when there is a call, else `end_turn`. */
  readonly stopReason?: StopReason
  /** What replaces the counted numbers. */
  readonly usage?: Partial<Usage>
  readonly timing?: Timing
  readonly fault?: Fault
}

/** A reply of plain text. */
export const says = (text: string): Reply => ({ content: [{ type: "text", text }] })

/** Why this reply ends, when it does not say so itself. */
export function stopReasonOf(reply: Reply): StopReason {
  return reply.stopReason ?? (callsIn(reply) > 0 ? "tool_use" : "end_turn")
}

/** How many calls a reply makes. */
export const callsIn = (reply: Reply): number => reply.content.filter((block) => block.type === "tool_use").length
