/** A scenario: the replies a simulated model will give, in order or by conditions on the conversation. */

import type { StopReason, Usage } from "#agent/words/model.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Fault, FaultName } from "./faults.ts"
import type { PlannedPage, Timing } from "./reply.ts"
import type { SimRequest } from "./request.ts"

/** A substring, a pattern, or a pattern written as `/.../flags`. */
export type Matcher = string | RegExp

/** Conditions on a request; all given ones must be true. */
export interface RequestMatch {
  readonly lastUserText?: Matcher
  readonly lastToolResult?: Matcher
  readonly system?: Matcher
  readonly model?: Matcher
  /** An offered tool, by its full name or a pattern. */
  readonly tool?: Matcher
}

/**
 * A block in scenario form; a string is text. `${capture.name}` in texts and inputs is replaced by what was captured.
 */
export type ScenarioBlock =
  | string
  /** `cites` are the pages the text cites, as after a search. */
  | { readonly text: string; readonly cites?: readonly PlannedPage[] }
  /** A search run by the provider; the request must offer its web_search tool. */
  | { readonly search: string; readonly results?: readonly PlannedPage[]; readonly error?: string }
  | { readonly thinking: string; readonly signature?: string }
  | { readonly tool: string; readonly input?: JsonObject; readonly id?: string }

export interface ScenarioReply {
  /** With it, the reply is chosen when the request matches; without it, in order. Matching replies come first. */
  readonly when?: RequestMatch
  /** How often the reply may be given; once by default. */
  readonly times?: number | "always"
  /** Patterns over the last results; the first group (or the whole match) is stored under the name. */
  readonly capture?: { readonly [name: string]: string | RegExp }
  readonly content?: string | readonly ScenarioBlock[]
  readonly stopReason?: StopReason
  readonly usage?: Partial<Usage>
  readonly timing?: Timing
  readonly fault?: FaultName | Fault
}

export interface ScenarioList {
  readonly name?: string
  readonly replies: readonly ScenarioReply[]
}

/** A scenario as a function. `turn` counts the replies already in the conversation, `request` all requests so far. */
export type ScenarioFunction = (
  request: SimRequest,
  context: { readonly turn: number; readonly request: number },
) => ScenarioReply | Promise<ScenarioReply>

export type Scenario = ScenarioList | ScenarioFunction
