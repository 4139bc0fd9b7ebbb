/** Who may do what: modes, rules and the decision with its reason. */

import type { JsonObject } from "#lib/json.ts"
import type { Boundary } from "./boundary.ts"

export const permissionModes = [
  "default",
  "acceptEdits",
  "plan",
  "delegate",
  "dontAsk",
  "auto",
  "bypassPermissions",
] as const
export type PermissionMode = (typeof permissionModes)[number]

export type Behavior = "allow" | "ask" | "deny"

/** Strongest first. `command`: the slash command of the current turn; it applies to that turn. */
export type RuleSource =
  "managed" | "command line" | "local settings" | "project settings" | "user settings" | "session" | "command"

export interface Rule {
  readonly behavior: Behavior
  readonly tool: string
  readonly content?: string
  readonly source: RuleSource
}

/** Why a decision came out as it did; each kind can be explained to the user. */
export type Reason =
  | { readonly kind: "rule"; readonly rule: string; readonly source: RuleSource }
  | { readonly kind: "mode"; readonly mode: PermissionMode }
  | { readonly kind: "hook"; readonly name: string }
  | { readonly kind: "tool_check"; readonly check: string }
  | { readonly kind: "classifier"; readonly why: string }
  | { readonly kind: "read_only" }
  /** It runs in the sandbox, and settings allow that without asking. */
  | { readonly kind: "sandboxed" }
  | { readonly kind: "outside_sandbox" }
  | { readonly kind: "person" }
  | { readonly kind: "no_one_to_ask" }
  | { readonly kind: "default" }

export const grantDestinations = ["session", "local settings", "project settings", "user settings"] as const
export type GrantDestination = (typeof grantDestinations)[number]

export interface Grant {
  readonly rule: string
  readonly destination: GrantDestination
  /** Allow when absent. */
  readonly behavior?: Behavior
}

/** A change of permissions that comes with an answer: for this session, or saved in a settings file as well. */
export type PermissionUpdate =
  | {
      readonly kind: "rules"
      /** `replace`: these are all rules of this behaviour there. */
      readonly act: "add" | "replace" | "remove"
      readonly behavior: Behavior
      readonly rules: readonly string[]
      readonly destination: GrantDestination
    }
  | { readonly kind: "mode"; readonly mode: PermissionMode; readonly destination: GrantDestination }
  | {
      readonly kind: "folders"
      readonly act: "add" | "remove"
      /** Absolute paths. */
      readonly folders: readonly string[]
      readonly destination: GrantDestination
    }

/** Whatever is allowed is allowed within a boundary. */
export type PermissionVerdict = {
  readonly reason: Reason
  /** One sentence for the user or the model. */
  readonly message: string
} & ({ readonly behavior: "allow"; readonly boundary: Boundary } | { readonly behavior: "ask" | "deny" })

/** Whether auto mode decided in place of the user, with its classifier or where that gave no answer. */
export const isByAuto = (reason: Reason): boolean =>
  reason.kind === "classifier" || (reason.kind === "mode" && reason.mode === "auto")

export type Decision = PermissionVerdict & {
  readonly trace: readonly string[]
  readonly updatedInput?: JsonObject
  /** Why auto mode leaves it to the user, as a sentence. */
  readonly undecided?: string
}
