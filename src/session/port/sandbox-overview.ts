/** The sandbox as it is shown: whether it is on and works, and everything its policy enforces. */

import type { Policy, PolicyLine } from "#ground/sandbox/policy.ts"

export interface SandboxOverview {
  readonly enabled: boolean
  readonly autoAllow: boolean
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
  readonly hiddenHere: readonly PolicyLine[]
  /** Settings that the policy does not enforce. */
  readonly notes: readonly string[]
}
