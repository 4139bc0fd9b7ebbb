/** Gates: points at which a session goes no further without the user, whatever its mode and rules. */

import type { Decision } from "./permission.ts"

export const gateNames = ["clarify", "plan", "files", "git", "testFirst"] as const
export type GateName = (typeof gateNames)[number]

/** Those that are not set are open. */
export type Gates = { readonly [gate in GateName]?: boolean }

/** Those that are set, in their order. */
export const closed = (gates: Gates): readonly GateName[] => gateNames.filter((gate) => gates[gate] === true)

/** Who asks for a gate: the managed policy of the machine, the user's settings, the project's, or this session alone. */
export type GateSource = "policy" | "settings" | "project" | "session"

/** The gates that files ask for, each with the strongest of those who do. */
export type GateSources = { readonly [gate in GateName]?: Exclude<GateSource, "session"> }

/** Gates that were switched while the session was open; `by`: the user who did, where several could. */
export type SwitchedGates = { readonly [gate in GateName]?: { readonly on: boolean; readonly by?: string } }

/** A gate as users see it. */
export interface GateOverview {
  readonly gate: GateName
  readonly on: boolean
  /** Why it is on, or why it is off although files ask for it; absent if nobody asks for it. */
  readonly source?: GateSource
  /** Who switched it last. */
  readonly by?: string
  /** Who can switch it off, if not everybody who may use the session. */
  readonly kept?: "admin" | "policy"
}

/** The reason of a question about files that a call has created. */
export const reviewCheck = "new files are reviewed"

export const isReview = ({ decision: { reason } }: { readonly decision: Pick<Decision, "reason"> }): boolean =>
  reason.kind === "tool_check" && reason.check === reviewCheck

/** A fact about a gate; only the last of each gate counts. */
export type GateFact =
  /** The task as the agent restated it. `asked`: after the user answered its questions. */
  | { readonly gate: "clarify"; readonly text: string; readonly asked: boolean }
  | { readonly gate: "testFirst"; readonly state: TestState; readonly about: string }

/**
 * `written`: a test was written or changed. `failing`: a test command failed after that, so the implementation may begin.
 * `changed`: other files were changed since. `passing`: the tests passed after all of it.
 */
export const testStates = ["written", "failing", "changed", "passing"] as const
export type TestState = (typeof testStates)[number]
