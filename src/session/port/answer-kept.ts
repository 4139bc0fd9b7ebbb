/** Answers a question of a session that no process has open: the next one uses the answer without asking. */

import { contentProblem, fromChoices } from "#agent/words/elicitation.ts"
import type { Entry } from "#agent/words/entry.ts"
import { type Answer, isOwn, type QuestionAsk } from "#agent/words/question.ts"
import { type AppendFailure, appendKept, type AppendPorts } from "#ground/transcript/append-kept.ts"
import { optional as field } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type AskedQuestion, askedIn } from "#session/journal/asked.ts"
import { restatedEntries } from "#session/journal/journal.ts"

export type AnswerFailure =
  | AppendFailure
  | { readonly kind: "no_such_question"; readonly questionId: string }
  | { readonly kind: "already_answered"; readonly questionId: string; readonly answer: Answer }
  /** The digest does not match the question shown. */
  | { readonly kind: "stale"; readonly questionId: string }
  /** The answer does not fit the question; `message` is for whoever gave it. */
  | { readonly kind: "unfit"; readonly message: string }

export interface GivenAnswer {
  readonly questionId: string
  readonly answer: Answer
  readonly digest?: string | undefined
  /** Who answers, where several people could. */
  readonly by?: string | undefined
}

/** Questions that wait in a log, oldest first: an answer to any of them would be used. */
export const waitingIn = (entries: readonly Entry[]): readonly AskedQuestion[] =>
  knownIn(entries).filter(({ answer }) => answer === undefined)

/** Answering again, with the same or another answer, returns the one that counts. */
export const answerKept = (
  logPath: string,
  givenAnswer: GivenAnswer,
  ports: AppendPorts,
): Promise<Result<void, AnswerFailure>> =>
  appendKept<AnswerFailure>(logPath, (entries) => accepted(givenAnswer, knownIn(entries)), ports)

function accepted({ questionId, answer, digest, by }: GivenAnswer, asked: readonly AskedQuestion[]) {
  const found = asked.find(({ question }) => question.id === questionId)
  if (!found) return failed({ kind: "no_such_question", questionId } as const)
  if (found.answer) return failed({ kind: "already_answered", questionId, answer: found.answer } as const)
  if (digest !== undefined && digest !== found.question.digest) return failed({ kind: "stale", questionId } as const)
  const fitting = fittingAnswer(found.question.ask, answer)
  if (!fitting.ok) return failed({ kind: "unfit", message: fitting.failure } as const)
  return ok({
    kind: "answer",
    questionId,
    answer: fitting.value,
    digest: found.question.digest,
    ...field("by", by),
  } as const)
}

/**
 * Questions that can still matter. A call that has begun is not restarted, so a server's question during it ended with its process; so did a server's
 * question outside of any call.
 */
function knownIn(entries: readonly Entry[]): readonly AskedQuestion[] {
  const all = [...restatedEntries(entries), ...entries]
  const begun = new Set<string>()
  for (const entry of all) {
    if (entry.kind === "intent" || entry.kind === "result") begun.add(entry.callId)
    // It has run, and is begun again for its review.
    if (entry.kind === "made") begun.delete(entry.callId)
    // It waits for answers, or runs at its server: it is continued, and uses them.
    if (entry.kind === "server_call") {
      if (entry.state.type === "sent") begun.add(entry.callId)
      else begun.delete(entry.callId)
    }
  }
  return [...askedIn(all).values()].filter(
    ({ question: { ask }, answer }) =>
      answer !== undefined || !(begun.has(ask.callId) || (ask.kind === "elicitation" && isOwn(ask))),
  )
}

/** What of a question says whether an answer fits. */
export type AnsweredAsk =
  | Pick<AskOf<"permission">, "kind">
  | { readonly kind: "choice"; readonly questions: readonly { readonly question: string }[] }
  | (Pick<AskOf<"plan">, "kind" | "modes"> & { readonly wishes: readonly { readonly prompt: string }[] })
  | AskOf<"elicitation">

type AskOf<K extends QuestionAsk["kind"]> = Extract<QuestionAsk, { readonly kind: K }>

/** The answer as the question needs it, or why it is none. */
export function fittingAnswer(ask: AnsweredAsk, answer: Answer): Result<Answer, string> {
  switch (ask.kind) {
    case "permission":
      return answer.kind === "allow" || answer.kind === "deny"
        ? ok(answer)
        : failed("A permission is allowed or denied.")
    case "choice": {
      if (answer.kind === "deny") return ok(answer)
      if (answer.kind !== "choices") return failed("A question is answered by choosing, or declined.")
      const unknown = Object.keys(answer.answers).find(
        (text) => !ask.questions.some(({ question }) => question === text),
      )
      if (unknown !== undefined) return failed(`It is not asked: ${unknown}`)
      const missing = ask.questions.find(({ question }) => !answer.answers[question]?.trim())
      return missing ? failed(`There is no answer to: ${missing.question}`) : ok(answer)
    }
    case "plan": {
      if (answer.kind === "deny") return ok(answer)
      if (answer.kind !== "approve") return failed("A plan is approved or denied.")
      if (!ask.modes.includes(answer.mode))
        return failed(`The plan can be carried out in the modes ${ask.modes.join(", ")}, not ${answer.mode}.`)
      const wish = answer.wishes.find((one) => !ask.wishes.some(({ prompt }) => prompt === one))
      return wish === undefined ? ok(answer) : failed(`The plan does not ask for: ${wish}`)
    }
    case "elicitation": {
      if (answer.kind === "choices") return fromChoices(ask, answer.answers)
      if (answer.kind === "deny") return ok({ kind: "elicited", action: "decline" })
      if (answer.kind !== "elicited") return failed("A server is told what it asked for, or that you decline.")
      const wrong = answer.action === "accept" ? contentProblem(ask, answer.content ?? {}) : undefined
      return wrong === undefined ? ok(answer) : failed(wrong)
    }
  }
}
