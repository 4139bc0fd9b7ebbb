/** How many agents of a workflow work at once, and what all of them together may cost. */

import { failed, ok, type Result } from "#lib/result.ts"

export interface Limits {
  /** Waits for a free place; the number is what this one may spend, undefined without a budget. */
  readonly enter: () => Promise<Result<number | undefined, string>>
  readonly leave: (costUsd: number) => void
  readonly spent: () => number
}

export function openLimits({
  most,
  budgetUsd,
  spent: before,
}: {
  readonly most: number
  readonly budgetUsd?: number | undefined
  readonly spent: number
}): Limits {
  let [free, spent] = [most, before]
  const waiting: (() => void)[] = []
  return {
    async enter() {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      if (budgetUsd === undefined) return ok(undefined)
      const left = budgetUsd - spent
      if (left > 0) return ok(left / most)
      next()
      return failed(`The budget of the workflow is used up: $${spent.toFixed(2)} of $${budgetUsd.toFixed(2)}.`)
    },
    leave(costUsd) {
      spent += costUsd
      next()
    },
    spent: () => spent,
  }

  /** A place that becomes free goes to whoever has waited longest. */
  function next(): void {
    const first = waiting.shift()
    if (first) first()
    else free++
  }
}
