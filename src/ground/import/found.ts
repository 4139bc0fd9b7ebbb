/** What another agent's folder holds, in our own terms: what could be imported, and what could not and why. */

import type { Behavior } from "#agent/words/permission.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import type { Result } from "#lib/result.ts"

export interface FoundSetup {
  readonly settings: readonly FoundSetting[]
  readonly servers: readonly FoundServer[]
  readonly rules: readonly FoundRule[]
  readonly files: readonly FoundFile[]
  readonly conversations: readonly FoundConversation[]
  readonly skipped: readonly Skipped[]
}

export interface FoundSetting {
  /** With dots: `permissions.defaultMode`. */
  readonly key: string
  readonly value: JsonValue
  /** The key that it had. */
  readonly was: string
}

export interface FoundServer {
  readonly name: string
  /** In the form of `.mcp.json`, with everything that may be secret. */
  readonly config: JsonObject
}

export interface FoundRule {
  readonly behavior: Behavior
  readonly rule: string
  readonly was: string
}

export interface FoundFile {
  readonly kind: "command" | "agent" | "skill" | "instructions"
  /** Below the folder of the user's own files: `commands/review.md`. Another place if that one is taken. */
  readonly place: string
  readonly otherwise?: string
  readonly text: string
  readonly from: string
}

export interface FoundConversation {
  /** Unique to its agent. */
  readonly id: string
  readonly from: string
  /** Reads it whole. */
  readonly read: () => Result<ForeignConversation, string>
}

export interface ForeignConversation {
  readonly cwd: string
  readonly title?: string | undefined
  readonly items: readonly ConversationItem[]
  /** Lines or parts of it that could not be read. */
  readonly unreadable: number
}

/** `at`: milliseconds since the epoch. */
export type ConversationItem = { readonly at: number } & (
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "text" | "thinking"; readonly text: string; readonly model: string }
  | {
      readonly kind: "call"
      readonly id: string
      readonly tool: string
      readonly input: JsonObject
      readonly model: string
    }
  | { readonly kind: "result"; readonly id: string; readonly text: string; readonly isError: boolean }
)

export interface Skipped {
  readonly what: string
  readonly why: string
}

export const nothingFound: FoundSetup = {
  settings: [],
  servers: [],
  rules: [],
  files: [],
  conversations: [],
  skipped: [],
}

/** JSON with comments, as settings are written. */
export type ParseJson = (text: string) => Result<JsonValue, string>

export interface ImportPlaces {
  readonly home: string
  /** In place of the usual folder. */
  readonly from?: string | undefined
  readonly parseJson: ParseJson
}
