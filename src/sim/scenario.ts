/** A scenario: the replies a simulated model will give, in order or by what the conversation says. */

import type { StopReason, Usage } from "#agent/words/model.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Fault, FaultName } from "./faults.ts"
import type { PlannedPage, Timing } from "./reply.ts"
import type { SimRequest } from "./request.ts"

/** A text that must be contained, a pattern, or a pattern written as `/.../flags`. */
export type Matcher = string | RegExp

/** What must be true of a request; all that is named must hold. */
export interface When {
  /** What the person wrote in the last message. */
  readonly lastUserText?: Matcher
  /** The results in the last message. */
  readonly lastToolResult?: Matcher
  readonly system?: Matcher
  readonly model?: Matcher
  /** A tool that is offered, by its whole name or a pattern. */
  readonly tool?: Matcher
}

/** A block as a scenario writes it; a string is text. In texts and inputs `${capture.name}` stands for what was captured. */
export type ScenarioBlock =
  | string
  /** `cites` are the pages that the text rests on, as after a search. */
  | { readonly text: string; readonly cites?: readonly PlannedPage[] }
  /** A search that the provider makes itself; the request must offer its web_search tool. */
  | { readonly search: string; readonly results?: readonly PlannedPage[]; readonly error?: string }
  | { readonly thinking: string; readonly signature?: string }
  | { readonly tool: string; readonly input?: JsonObject; readonly id?: string }

/** A reply as a scenario writes it. */
export interface ScenarioReply {
  /** With it, the reply is chosen when the request fits; without it, in its order. Fitting replies come first. */
  readonly when?: When
  /** How often the reply may be given: once, unless this says more. */
  readonly times?: number | "always"
  /** Patterns over the last results; what the first group (or the whole) matches is kept under the name. */
  readonly capture?: { readonly [name: string]: string | RegExp }
  readonly content?: string | readonly ScenarioBlock[]
  readonly stopReason?: StopReason
  readonly usage?: Partial<Usage>
  readonly timing?: Timing
  readonly fault?: FaultName | Fault
}

/** A scenario as data. */
export interface ScenarioList {
  readonly name?: string
  readonly replies: readonly ScenarioReply[]
}

/** A scenario as a program. `turn` counts the replies already in the conversation, `request` all requests so far. */
export type ScenarioFunction = (
  request: SimRequest,
  context: { readonly turn: number; readonly request: number },
) => ScenarioReply | Promise<ScenarioReply>

/** A scenario: data, or a program. */
export type Scenario = ScenarioList | ScenarioFunction
