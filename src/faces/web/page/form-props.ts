/** What the form of each kind of approval is given. */

import type { ApprovalDetails } from "#session/port/approval-details.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import type { DecisionBody } from "./decide.ts"

export interface FormProps {
  readonly approval: ShownApproval
  readonly details: ApprovalDetails
  readonly isDisabled: boolean
  readonly onDecide: (decision: DecisionBody) => void
}
