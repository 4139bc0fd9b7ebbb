/** The stage of a session with all that belongs to it, as programs see it: what waits, the task, the plan, the result. */

import type { Entry } from "#agent/words/entry.ts"
import type { Gates } from "#agent/words/gates.ts"
import type { SessionStage } from "#agent/words/stage.ts"
import { digestOf } from "#kits/plan/file.ts"
import { extractPlan, type PlanDetails, planDetails } from "#agent/words/plan-extract.ts"
import { optional } from "#lib/optional.ts"
import { askedIn } from "#session/journal/asked.ts"
import { stageOf, type StageState } from "#session/journal/stage.ts"
import { type ShownApproval, shownQuestion } from "./approval.ts"

export interface StageOverview {
  readonly stage: SessionStage
  readonly gates: Gates
  /** The task as the agent restated it; absent where that was not asked for, or not done yet. */
  readonly clarifiedQuery?: string
  /** Absent before one was shown. */
  readonly plan?: PlanOverview
  /** What waits for an answer, oldest first. */
  readonly pending: readonly ShownApproval[]
  /** Present when the last turn is over. */
  readonly result?: { readonly ok: boolean; readonly text: string }
}

export interface PlanOverview {
  readonly markdown: string
  /** That of the question in which it was shown: an approval names it. */
  readonly digest: string
  readonly filesToCreate: readonly string[]
  readonly filesToModify: readonly string[]
  readonly commands: readonly string[]
  readonly tests: readonly string[]
  /** What it says about each of them. Absent where it says nothing about any. */
  readonly details?: PlanDetails
}

/** A question that was decided. */
export interface CompletedAction {
  readonly approvalId: string
  readonly title: string
  readonly state: "allowed" | "denied"
  /** Absent where only one person could have answered. */
  readonly by?: string
  readonly at: string
}

/** `planText`: of the approved plan, for a log that does not say it any more. */
export function stageOverview(state: StageState, sessionId: string, planText?: string): StageOverview {
  const { gates, open, turn, said, talk } = state
  return {
    stage: stageOf(state),
    gates,
    ...optional("clarifiedQuery", talk.clarified),
    ...optional("plan", planOf(talk.plan, planText)),
    pending: [...open.values()].map((asked) => shownQuestion(asked, sessionId)),
    ...optional("result", turn?.end && { ok: turn.end.reason === "completed", text: resultText(turn.end, said?.text) }),
  }
}

const resultText = ({ reason, message }: { readonly reason: string; readonly message?: string }, said = ""): string =>
  reason === "completed" ? said : (message ?? (said === "" ? reason : said))

function planOf(shown: StageState["talk"]["plan"], text: string | undefined): PlanOverview | undefined {
  const markdown = shown?.markdown ?? text
  if (markdown === undefined) return undefined
  const { create = [], modify = [], commands = [], tests = [] } = extractPlan(markdown) ?? {}
  return {
    markdown,
    digest: shown?.digest ?? digestOf(markdown),
    filesToCreate: create,
    filesToModify: modify,
    commands,
    tests,
    ...optional("details", planDetails(markdown)),
  }
}

/** What was decided, in the order it was asked. */
export const completedIn = (entries: readonly Entry[], sessionId: string): readonly CompletedAction[] =>
  [...askedIn(entries).values()].flatMap((asked) => {
    const { id, title, state } = shownQuestion(asked, sessionId)
    if (state !== "allowed" && state !== "denied") return []
    const at = new Date(asked.answeredAt ?? asked.at).toISOString()
    return [{ approvalId: id, title, state, ...optional("by", asked.by), at }]
  })
