/**
 * The short prompt with few tools, for a budget that does not cover even the first request with the full one, where nobody can be asked to raise
 * it. Later the budget ends the turn instead: a conversation should not lose its tools in the middle.
 */

import type { Budget } from "#agent/words/budget.ts"

export interface ShortPrompt {
  readonly isOn: () => boolean
  /** From the next request on, as long as the budget stays what it is; false where that may not be. */
  readonly begin: () => boolean
  readonly end: () => void
}

export const shortPromptWords =
  "The budget is too small for the full prompt, so the model gets a short one with few tools. With a larger budget it gets all of them."

export function openShortPrompt({
  mayBegin,
  budget,
}: {
  readonly mayBegin: () => boolean
  readonly budget: () => Budget
}): ShortPrompt {
  let since: Budget | undefined
  const isOn = (): boolean => since !== undefined && since.usd === budget().usd && since.tokens === budget().tokens
  return {
    isOn,
    begin() {
      if (isOn() || !mayBegin()) return false
      since = budget()
      return true
    },
    end: () => void (since = undefined),
  }
}
