/** Who may do what: modes, rules and the decision with its reason. */

import type { JsonObject } from "#lib/json.ts"

export const permissionModes = ["default", "acceptEdits", "plan", "dontAsk", "auto", "bypassPermissions"] as const
export type PermissionMode = (typeof permissionModes)[number]

export type Behavior = "allow" | "ask" | "deny"

/** Where a rule came from, strongest first. `command`: the slash command that the turn runs; it holds for that turn. */
export type RuleSource =
  "managed" | "command line" | "local settings" | "project settings" | "user settings" | "session" | "command"

export interface Rule {
  readonly behavior: Behavior
  readonly tool: string
  /** What stands between the parentheses, if there are any. */
  readonly content?: string
  readonly source: RuleSource
}

/** Why a decision came out as it did; each kind can be told to a person. */
export type Reason =
  | { readonly kind: "rule"; readonly rule: string; readonly source: RuleSource }
  | { readonly kind: "mode"; readonly mode: PermissionMode }
  | { readonly kind: "hook"; readonly name: string }
  | { readonly kind: "tool_check"; readonly check: string }
  | { readonly kind: "classifier"; readonly why: string }
  | { readonly kind: "read_only" }
  /** It runs in the sandbox, and settings let commands do so unasked. */
  | { readonly kind: "sandboxed" }
  /** It would run outside the sandbox. */
  | { readonly kind: "outside_sandbox" }
  | { readonly kind: "person" }
  | { readonly kind: "no_one_to_ask" }
  | { readonly kind: "default" }

/** Where a rule that the person gives is kept. */
export const grantDestinations = ["session", "local settings", "project settings", "user settings"] as const
export type GrantDestination = (typeof grantDestinations)[number]

/** A rule that the person gave, and where it is kept. */
export interface Grant {
  readonly rule: string
  readonly destination: GrantDestination
  /** What it does; it allows when nothing is said. */
  readonly behavior?: Behavior
}

export interface Decision {
  readonly behavior: Behavior
  readonly reason: Reason
  /** One sentence for the person or the model. */
  readonly message: string
  /** What was looked at on the way, in order. */
  readonly trace: readonly string[]
  readonly updatedInput?: JsonObject
}
