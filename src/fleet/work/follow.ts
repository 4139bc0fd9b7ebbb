/** What the records of a fleet need to know of a session besides its stage, folded from its entries. */

import type { Entry } from "#agent/words/entry.ts"
import type { Question } from "#agent/words/question.ts"

type ReviewEntry = Extract<Entry, { readonly kind: "review" }>

export interface Followed {
  readonly onEntry: (entry: Entry) => void
  /** Whether a prompt with this id is in the log. */
  readonly has: (promptId: string) => boolean
  /** What came of a review that was asked for under this id. */
  readonly review: (opId: string) => ReviewEntry | undefined
  readonly title: () => string | undefined
  /** A question was answered with a yes: what its call does next was allowed by it. */
  readonly approved: (question: Pick<Question, "id" | "ask">) => void
  /** The approval under which a call runs, if somebody was asked about it: once, because agents and later turns may have calls with the same id. */
  readonly takeApproval: (callId: string) => string | undefined
}

export function openFollowed(): Followed {
  const prompts = new Set<string>()
  const reviews = new Map<string, ReviewEntry>()
  let title: string | undefined
  const questions = new Map<string, Question>()
  const approvals = new Map<string, string>()
  const approved: Followed["approved"] = ({ id, ask }) => void approvals.set(ask.callId, id)
  return {
    approved,
    takeApproval(callId) {
      const id = approvals.get(callId)
      approvals.delete(callId)
      return id
    },
    onEntry(entry) {
      switch (entry.kind) {
        case "prompt":
        case "queued":
        case "command":
        case "unsent":
          prompts.add(entry.promptId)
          break
        case "review":
          if (entry.opId !== undefined) reviews.set(entry.opId, entry)
          break
        case "question":
          questions.set(entry.question.id, entry.question)
          break
        case "answer": {
          const question = questions.get(entry.questionId)
          if (question && entry.answer.kind === "allow") approved(question)
          break
        }
        case "title":
          title = entry.text
          break
      }
    },
    has: (promptId) => prompts.has(promptId),
    review: (opId) => reviews.get(opId),
    title: () => title,
  }
}
