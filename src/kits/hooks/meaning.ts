/** Results of hooks as data: how one ended, and what one or several of them want. */

import type { JsonObject, JsonValue } from "#lib/json.ts"

export type HookResult =
  | {
      readonly kind: "exited"
      readonly exit: number
      readonly stdout: string
      readonly stderr: string
      readonly isCut: boolean
      /** What the sandbox denied, each attempt in a few words. */
      readonly refused?: readonly string[]
    }
  | { readonly kind: "judged"; readonly ok: boolean; readonly reason: string }
  /** It timed out, was killed by a signal, could not be started, or gave no answer. */
  | {
      readonly kind: "failed"
      readonly why: string
      /** It should have run in the sandbox, but could not. */
      readonly isUnconfined?: boolean
      readonly isInterrupted?: true
      readonly isLate?: true
    }

export const interrupted: HookResult = { kind: "failed", why: "it was interrupted", isInterrupted: true }

export const verdicts = ["deny", "defer", "ask", "allow"] as const
/** What a hook wants done, strongest first. `defer` asks a person, later if nobody is there. */
export type HookVerdict = (typeof verdicts)[number]

export interface ElicitedByHook {
  readonly action: "accept" | "decline" | "cancel"
  readonly content?: JsonObject
}

export interface Meaning {
  readonly verdict?: HookVerdict
  readonly reason?: string
  readonly updatedInput?: JsonObject
  readonly updatedOutput?: JsonValue
  /** What a server is told, for its questions. */
  readonly elicited?: ElicitedByHook
  readonly grants: readonly string[]
  readonly contexts: readonly string[]
  readonly stop?: string
  readonly title?: string
  /** The first prompt of the session. */
  readonly initialPrompt?: string
  /** The folder that a hook made as a worktree. */
  readonly worktree?: string
  readonly says: readonly string[]
  /** Problems in its output; the rest of it counts. */
  readonly complaints: readonly string[]
  /** For the user, about how it ran; without effect. */
  readonly warnings?: readonly string[]
  readonly failure?: string
}

export const nothing: Meaning = { grants: [], contexts: [], says: [], complaints: [] }
