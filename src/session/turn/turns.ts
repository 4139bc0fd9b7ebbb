/** What is under way and may be interrupted: a turn or a chore. Made before everything else, so that all can end it. */

export interface Turns {
  readonly begin: (what: "turn" | "chore") => AbortSignal
  readonly end: () => void
  /** Of what is under way. */
  readonly signal: () => AbortSignal | undefined
  /** `withdrawnBy`: who gets back what was on its way and is not delivered now. */
  readonly interrupt: (withdrawnBy?: string) => void
  readonly withdrawnBy: () => string | undefined
  /** Something was said: after an interrupt, or while a chore runs, that means that the queue is wanted. */
  readonly said: () => void
  /** Whether the queue is delivered although an interrupt or a chore came before it. */
  readonly wantsQueue: () => boolean
  /** Ends the turn; the conversation starts over with these words. */
  readonly startFresh: (text: string) => void
  readonly takeFresh: () => string | undefined
}

export function openTurns(): Turns {
  let under: { readonly what: "turn" | "chore"; readonly controller: AbortController } | undefined
  let wantsQueue = false
  let withdrawnBy: string | undefined
  let fresh: string | undefined

  return {
    begin(what) {
      under = { what, controller: new AbortController() }
      wantsQueue = false
      withdrawnBy = undefined
      return under.controller.signal
    },
    end: () => void (under = undefined),
    signal: () => under?.controller.signal,
    interrupt(by) {
      withdrawnBy = by
      if (under?.what === "chore") wantsQueue = false
      under?.controller.abort()
    },
    said() {
      if (!under || under.what === "chore" || under.controller.signal.aborted) wantsQueue = true
    },
    wantsQueue: () => wantsQueue,
    withdrawnBy: () => withdrawnBy,
    startFresh(text) {
      fresh = text
      under?.controller.abort()
    },
    takeFresh() {
      const text = fresh
      fresh = undefined
      if (text !== undefined) wantsQueue = true
      return text
    },
  }
}
