/** What is running and can be interrupted: a turn or a chore. Created first, so that everything else can end it. */

import { type InterruptCause, interruptReason } from "#agent/words/interruption.ts"

export interface Turns {
  readonly begin: (what: "turn" | "chore") => AbortSignal
  readonly end: () => void
  readonly signal: () => AbortSignal | undefined
  /** `withdrawal`: who gets back undelivered prompts. */
  readonly interrupt: (withdrawal?: Withdrawal, cause?: InterruptCause) => void
  readonly withdrawal: () => Withdrawal | undefined
  /** A prompt came: after an interrupt, or during a chore, that releases the queue. */
  readonly said: () => void
  /** Whether the queue is delivered despite an earlier interrupt or chore. */
  readonly wantsQueue: () => boolean
  /** Ends the turn; the conversation starts over with this text. */
  readonly startFresh: (text: string) => void
  readonly consumeFreshStart: () => string | undefined
}

/** `by` as in the op; `from`: the face whose prompts they are. */
export interface Withdrawal {
  readonly by: string
  readonly from: string | undefined
}

export function openTurns(): Turns {
  let under: { readonly what: "turn" | "chore"; readonly controller: AbortController } | undefined
  let wantsQueue = false
  let withdrawal: Withdrawal | undefined
  let fresh: string | undefined

  return {
    begin(what) {
      under = { what, controller: new AbortController() }
      wantsQueue = false
      withdrawal = undefined
      return under.controller.signal
    },
    end: () => void (under = undefined),
    signal: () => under?.controller.signal,
    interrupt(newWithdrawal, cause) {
      withdrawal = newWithdrawal
      if (under?.what === "chore") wantsQueue = false
      under?.controller.abort(cause && interruptReason(cause))
    },
    said() {
      if (!under || under.what === "chore" || under.controller.signal.aborted) wantsQueue = true
    },
    wantsQueue: () => wantsQueue,
    withdrawal: () => withdrawal,
    startFresh(text) {
      fresh = text
      under?.controller.abort()
    },
    consumeFreshStart() {
      const text = fresh
      fresh = undefined
      if (text !== undefined) wantsQueue = true
      return text
    },
  }
}
