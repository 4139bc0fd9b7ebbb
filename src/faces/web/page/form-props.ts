/** What the form of each kind of approval is given. */

import type { Question } from "#agent/words/question.ts"
import type { FleetPlan } from "#fleet/records.ts"
import type { ShownApproval } from "./contract.ts"
import type { DecisionBody } from "./decide.ts"

export interface FormProps {
  readonly approval: ShownApproval
  readonly plan: FleetPlan | undefined
  /** The question in the session's log, if it is the one that is shown. */
  readonly question: Question | undefined
  readonly isDisabled: boolean
  readonly onDecide: (decision: DecisionBody) => void
}
