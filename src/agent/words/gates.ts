/** Gates: points at which a session goes no further without the user, whatever its mode and rules. */

import type { Decision } from "./permission.ts"

export const gateNames = ["clarify", "plan", "files", "git", "testFirst"] as const
export type GateName = (typeof gateNames)[number]

/** Those that are not set are open. */
export type Gates = { readonly [gate in GateName]?: boolean }

/** Those that are set, in their order. */
export const closed = (gates: Gates): readonly GateName[] => gateNames.filter((gate) => gates[gate] === true)

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
