/** What the log says about new files: which calls wait for a review, which reviews were broken off, and what was seen before. */

import type { FileDiff } from "#agent/words/display.ts"
import type { Entry } from "#agent/words/entry.ts"
import { type OnEntry, byKind } from "#agent/words/follower.ts"
import { isReview } from "#agent/words/gates.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import type { Outcome } from "#agent/words/tool.ts"
import { digestOf } from "#lib/digest.ts"
import type { JsonObject } from "#lib/json.ts"

export type ReviewAsk = Extract<QuestionAsk, { readonly kind: "permission" }>

export interface CreatedFiles {
  readonly files: readonly string[]
  readonly outcome: Outcome
}

export interface ReviewMemory {
  /** Calls that created something and have no result yet. */
  readonly made: ReadonlyMap<string, CreatedFiles>
  /** Reviews that were broken off, by call: nothing acts before they are over. */
  readonly due: Map<string, { readonly ask: ReviewAsk; readonly paths: readonly string[] }>
  /** Digests of what the user saw and allowed before the call created it, by call; those of agents too, whose questions are in this log. */
  readonly seen: ReadonlyMap<string, ReadonlySet<string>>
  readonly onEntry: OnEntry
}

export function openReviewMemory(): ReviewMemory {
  const made = new Map<string, CreatedFiles>()
  const due = new Map<string, { readonly ask: ReviewAsk; readonly paths: readonly string[] }>()
  const seen = new Map<string, ReadonlySet<string>>()
  const asked = new Map<string, ReviewAsk>()

  function takeQuestion(id: string, ask: QuestionAsk): void {
    if (ask.kind !== "permission") return
    asked.set(id, ask)
    if (isReview(ask))
      due.set(ask.callId, { ask, paths: made.get(ask.callId)?.files ?? due.get(ask.callId)?.paths ?? [] })
  }

  function takeAnswer({ questionId, answer }: Entry & { readonly kind: "answer" }): void {
    const ask = asked.get(questionId)
    if (!ask) return
    asked.delete(questionId)
    if (isReview(ask)) {
      if (answer.kind !== "unanswered") due.delete(ask.callId)
    } else if (answer.kind === "allow" && isUnchanged(ask, answer.updatedInput))
      seen.set(ask.callId, new Set(digestsIn(ask)))
  }

  return {
    made,
    due,
    seen,
    onEntry: byKind({
      made: (entry) => void made.set(entry.callId, entry),
      question: ({ question: { id, ask } }) => takeQuestion(id, ask),
      answer: takeAnswer,
      result({ callId }) {
        made.delete(callId)
        seen.delete(callId)
      },
    }),
  }
}

/** Many programs give back the input as they got it. */
const isUnchanged = ({ input }: ReviewAsk, updated: JsonObject | undefined): boolean =>
  updated === undefined || JSON.stringify(updated) === JSON.stringify(input)

/** Of the files in a question, each with all of its lines. */
export function digestsIn({ display }: ReviewAsk): readonly string[] {
  if (display?.kind === "diffs") return display.files.map(digestOfDiff)
  return display?.kind === "diff" ? [digestOfDiff(display)] : []
}

const digestOfDiff = ({ path, hunks, created }: FileDiff): string => digestOf({ path, hunks, created })
