/** The sandbox as it is shown: whether it is on and works, and everything its policy enforces. */

import type { Policy, PolicyLine } from "#ground/sandbox/policy.ts"

export interface SandboxLook {
  /** `sandbox.enabled`. */
  readonly enabled: boolean
  /** Whether confined commands run without asking. */
  readonly autoAllow: boolean
  /** `sandbox.hooks` and `sandbox.mcp`. */
  readonly hooks: boolean
  readonly mcp: boolean
  readonly backend: "bubblewrap" | "seatbelt" | "none"
  readonly works: boolean
  /** Why it does not work, and how to fix that. */
  readonly why?: string
  readonly fix?: string
  /** Paths below it are shown with a tilde. */
  readonly home: string
  readonly policy: Policy
  /** The hidden paths that exist. */
  readonly hiddenHere: readonly PolicyLine[]
  /** Settings that the policy does not enforce. */
  readonly notes: readonly string[]
}
