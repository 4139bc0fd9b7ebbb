/** Time that a turn spent waiting for an answer of the user: nobody worked then. */

import type { View, Working } from "./view.ts"

/** `view` is what an entry of this time made of `before`. */
export function withWaiting(before: View, view: View, at: number): View {
  const { working } = view
  if (!working) return view
  const { askedAt } = working
  if (askedAt === undefined)
    return before.questions.length === 0 && view.questions.length > 0
      ? { ...view, working: { ...working, askedAt: at } }
      : view
  if (view.questions.length > 0) return view
  return { ...view, working: { ...working, askedAt: undefined, waitedMs: working.waitedMs + at - askedAt } }
}

export const workedMs = ({ since, waitedMs, askedAt }: Working, now: number): number =>
  (askedAt ?? now) - since - waitedMs
