/** The sandbox as it is shown: whether it is on and works, and everything that its policy holds. */

import type { Policy, PolicyLine } from "#ground/sandbox/policy.ts"

export interface SandboxLook {
  /** `sandbox.enabled`. */
  readonly enabled: boolean
  /** Whether confined commands run without a question. */
  readonly autoAllow: boolean
  /** `sandbox.hooks` and `sandbox.mcp`. */
  readonly hooks: boolean
  readonly mcp: boolean
  readonly backend: "bubblewrap" | "seatbelt" | "none"
  readonly works: boolean
  /** Why it does not work, and what to do about it. */
  readonly why?: string
  readonly fix?: string
  /** Paths below it are shown with a tilde. */
  readonly home: string
  readonly policy: Policy
  /** Of what is hidden, that which is there. */
  readonly hiddenHere: readonly PolicyLine[]
  /** What somebody wrote that the policy does not enforce. */
  readonly notes: readonly string[]
}
