/** A plan decision that had begun to take effect when the program ended: it is completed and not asked for again. */

import type { Answer, QuestionAsk } from "#agent/words/question.ts"
import type { ExitPorts } from "./decided.ts"
import { digestOf } from "./file.ts"

export interface BegunDecision {
  readonly shown: string
  readonly answer: Answer & { readonly kind: "approve" | "deny" }
}

/** A decision that has not begun to take effect is left to the question: its answer counts if the plan is still the one shown. `now`: the content of the plan file. */
export function begunDecision(
  ports: ExitPorts,
  { ask, answer }: { readonly ask: QuestionAsk; readonly answer: Answer },
  now: string | undefined,
): BegunDecision | undefined {
  if (ask.kind !== "plan" || (answer.kind !== "approve" && answer.kind !== "deny")) return undefined
  const shown = ask.plan
  const isChangeKept = answer.plan !== undefined && answer.plan === now
  const hasBegun =
    answer.kind === "deny"
      ? isChangeKept
      : isChangeKept || ports.mode() !== "plan" || ports.approved() === digestOf(answer.plan ?? shown)
  return hasBegun ? { shown, answer } : undefined
}
