/** What the log says about new files: which calls wait for a review, which reviews were broken off, and what was seen before. */

import type { FileDiff } from "#agent/words/display.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import type { Outcome } from "#agent/words/tool.ts"
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
  /** What the user saw and allowed before the call created it, by call. */
  readonly seen: ReadonlyMap<string, readonly FileDiff[]>
  readonly take: (entry: Entry) => void
}

export const reviewCheck = "new files are reviewed"

export function openReviewMemory(): ReviewMemory {
  const made = new Map<string, CreatedFiles>()
  const due = new Map<string, { readonly ask: ReviewAsk; readonly paths: readonly string[] }>()
  const seen = new Map<string, readonly FileDiff[]>()
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
    } else if (answer.kind === "allow" && isUnchanged(ask, answer.updatedInput)) seen.set(ask.callId, diffsIn(ask))
  }

  return {
    made,
    due,
    seen,
    take(entry) {
      if (entry.kind === "made") made.set(entry.callId, entry)
      if (entry.kind === "question") takeQuestion(entry.question.id, entry.question.ask)
      if (entry.kind === "answer") takeAnswer(entry)
      if (entry.kind !== "result") return
      made.delete(entry.callId)
      seen.delete(entry.callId)
    },
  }
}

/** Many programs give back the input as they got it. */
const isUnchanged = ({ input }: ReviewAsk, updated: JsonObject | undefined): boolean =>
  updated === undefined || JSON.stringify(updated) === JSON.stringify(input)

/** The files in a question, each with all of its lines. */
export function diffsIn({ display }: ReviewAsk): readonly FileDiff[] {
  if (display?.kind === "diffs") return display.files.map(plainDiff)
  return display?.kind === "diff" ? [plainDiff(display)] : []
}

const plainDiff = ({ path, hunks, created }: FileDiff): FileDiff => ({ path, hunks, created })

const isReview = (ask: ReviewAsk): boolean =>
  ask.decision.reason.kind === "tool_check" && ask.decision.reason.check === reviewCheck
