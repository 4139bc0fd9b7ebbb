/** How far a conversation is with its goal, folded from its entries. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Goal } from "#agent/words/goal.ts"

export interface GoalProgress {
  /** As recorded last, with the steps since. */
  readonly goal: Goal | undefined
  /** Which goal the model was told of, by when it was set. */
  readonly told: number | undefined
  /** The program ended while it was worked on: whoever opens the session next continues. */
  readonly isCutOff: boolean
}

export const noGoal: GoalProgress = { goal: undefined, told: undefined, isCutOff: false }

export const attachmentName = "goal"

export function foldGoal(progress: GoalProgress, entry: EntryBody): GoalProgress {
  switch (entry.kind) {
    case "goal": {
      const { kind: _kind, ...goal } = withoutStamp(entry)
      return { ...progress, goal }
    }
    case "attachment":
      return entry.name === attachmentName ? { ...progress, told: toldOf(progress.goal) } : progress
    case "reply_end": {
      const { goal } = progress
      return goal?.state === "open" ? { ...progress, goal: { ...goal, steps: goal.steps + 1 } } : progress
    }
    case "turn_start":
      return { ...progress, isCutOff: false }
    case "turn_end":
      return { ...progress, isCutOff: entry.cause === "program_ended" }
    case "compaction":
      return entry.standing.reduce(foldGoal, { ...progress, told: undefined })
    default:
      return progress
  }
}

/** One that was ended is told once, too. */
const toldOf = (goal: Goal | undefined): number | undefined => (goal?.state === "cleared" ? undefined : goal?.since)

/** An entry of the log has more fields than its body. */
function withoutStamp(entry: EntryBody & { readonly kind: "goal" }): EntryBody & { readonly kind: "goal" } {
  const { kind, check, folder, limits, state, checks, steps, since, paidBefore, why } = entry
  return { kind, check, folder, limits, state, checks, steps, since, paidBefore, ...(why !== undefined && { why }) }
}
