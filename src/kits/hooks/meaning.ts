/** Results of hooks as data: how one ended, and what one or several of them want. */

import type { JsonObject, JsonValue } from "#lib/json.ts"

export type HookResult =
  | {
      readonly kind: "exited"
      readonly exit: number
      readonly stdout: string
      readonly stderr: string
      /** It printed more than is read. */
      readonly isCut: boolean
      /** What the sandbox denied, each attempt in a few words. */
      readonly refused?: readonly string[]
    }
  /** A model judged the moment. */
  | { readonly kind: "judged"; readonly ok: boolean; readonly reason: string }
  /** It timed out, was killed by a signal, could not be started, or gave no answer. */
  | {
      readonly kind: "failed"
      readonly why: string
      /** It should have run in the sandbox, but could not. */
      readonly isUnconfined?: boolean
    }

export const verdicts = ["deny", "defer", "ask", "allow"] as const
/** What a hook wants done, strongest first. `defer` leaves it to the normal decision. */
export type HookVerdict = (typeof verdicts)[number]

/** What one hook, or all of a moment together, have to say. */
export interface Meaning {
  readonly verdict?: HookVerdict
  readonly reason?: string
  readonly updatedInput?: JsonObject
  /** Replaces the tool's output. */
  readonly updatedOutput?: JsonValue
  /** Rules for the rest of the session. */
  readonly grants: readonly string[]
  /** For the model. */
  readonly contexts: readonly string[]
  /** Why the turn should end. */
  readonly stop?: string
  /** A name for the session. */
  readonly title?: string
  /** For the user. */
  readonly says: readonly string[]
  /** Problems in its output; the rest of it counts. */
  readonly complaints: readonly string[]
  /** For the user, about how it ran; without effect. */
  readonly warnings?: readonly string[]
  /** Why it failed. */
  readonly failure?: string
}

export const nothing: Meaning = { grants: [], contexts: [], says: [], complaints: [] }
