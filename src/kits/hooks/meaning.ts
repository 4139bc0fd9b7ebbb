/** What hooks come to, as data: how one ended, and what one or several of them want. */

import type { JsonObject, JsonValue } from "#lib/json.ts"

/** What came of running a hook. */
export type Ran =
  | {
      readonly kind: "exited"
      readonly exit: number
      readonly stdout: string
      readonly stderr: string
      /** It printed more than is read. */
      readonly isCut: boolean
      /** What the sandbox refused it, each attempt in a few words. */
      readonly refused?: readonly string[]
    }
  /** A model was asked, and said whether it is well. */
  | { readonly kind: "judged"; readonly ok: boolean; readonly reason: string }
  /** It ran out of time, was ended by a signal, could not be started, or gave no answer. */
  | {
      readonly kind: "failed"
      readonly why: string
      /** It should run in the sandbox, and could not. */
      readonly isUnconfined?: boolean
    }

export const verdicts = ["deny", "defer", "ask", "allow"] as const
/** What a hook wants done, strongest first. `defer` leaves it to whoever decides without hooks. */
export type Verdict = (typeof verdicts)[number]

/** What one hook, or all of a moment together, have to say. */
export interface Meaning {
  readonly verdict?: Verdict
  readonly reason?: string
  readonly updatedInput?: JsonObject
  /** In place of what the tool gave. */
  readonly updatedOutput?: JsonValue
  /** Rules that it wants to hold for the rest of the session. */
  readonly grants: readonly string[]
  /** What the model should know. */
  readonly contexts: readonly string[]
  /** Why the turn is to end. */
  readonly stop?: string
  /** What the session is to be called. */
  readonly title?: string
  /** For the user. */
  readonly says: readonly string[]
  /** What was wrong in what it printed; the rest of it counts. */
  readonly complaints: readonly string[]
  /** What the user should know about how it ran; it changes nothing. */
  readonly warnings?: readonly string[]
  /** Why it did not do its work. */
  readonly failure?: string
}

export const nothing: Meaning = { grants: [], contexts: [], says: [], complaints: [] }
