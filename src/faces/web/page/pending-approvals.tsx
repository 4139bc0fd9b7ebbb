/** Approvals in their places: a card while something waits, then a line that says what became of it. */

import type { ReactNode } from "react"
import type { Question } from "#agent/words/question.ts"
import { ApprovalCard, type ApprovalCardProps } from "./approval-card.tsx"
import type { ShownApproval } from "#session/port/approval.ts"
import type { SignedIn } from "./contract.ts"
import { useNow } from "./polled.ts"
import type { PlacedApproval, Settlement } from "./settled.ts"
import { SettlementNote } from "./settlement-note.tsx"
import { sessionByOther } from "./words.ts"

interface PendingApprovalsProps {
  readonly placed: readonly PlacedApproval[]
  /** The cards are not shown in their session, and say which it is. */
  readonly isInbox?: boolean
  readonly questions?: ReadonlyMap<string, Question>
  readonly me: SignedIn | undefined
  /** Why this user can only look at them. */
  readonly readOnly?: string | undefined
  /** In the inbox, several can be decided together. */
  readonly selectionOf?: (approval: ShownApproval) => ApprovalCardProps["selection"]
  readonly onSettled: (settlement: Settlement) => void
  readonly onDismiss: (approval: ShownApproval) => void
}

export function PendingApprovals({
  placed,
  isInbox = false,
  questions,
  me,
  readOnly,
  selectionOf,
  onSettled,
  onDismiss,
}: PendingApprovalsProps): ReactNode {
  const now = useNow()
  return placed.map(({ key, open, settlement, above }) => (
    <div key={key} className="pending-approval">
      {settlement && (
        <SettlementNote settlement={settlement} me={me?.name ?? ""} onDismiss={() => onDismiss(settlement.approval)} />
      )}
      {open && (
        <ApprovalCard
          approval={open}
          above={above}
          isInbox={isInbox}
          sessionBy={sessionByOther(open, me)}
          question={questions?.get(open.id)}
          readOnly={readOnly}
          now={now}
          selection={selectionOf?.(open)}
          onSettled={onSettled}
        />
      )}
    </div>
  ))
}
