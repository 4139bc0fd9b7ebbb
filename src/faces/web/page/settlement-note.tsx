/** Says what became of an approval, in place of its card. */

import type { ReactNode } from "react"
import { forConsent } from "#lib/printable.ts"
import type { ApprovalKind } from "#session/port/approval.ts"
import type { Settlement } from "./settled.ts"

export function SettlementNote({
  settlement,
  me,
  onDismiss,
}: {
  readonly settlement: Settlement
  readonly me: string
  readonly onDismiss: () => void
}): ReactNode {
  return (
    <div className={`note ${settlement.state ?? ""}`} role="status">
      <p>
        {sentence(settlement, me)} <span className="dim">{forConsent(settlement.approval.title)}</span>
      </p>
      <button type="button" className="quiet" onClick={onDismiss}>
        Dismiss
      </button>
    </div>
  )
}

const doneWords: { readonly [kind in ApprovalKind]: readonly [yes: string, no: string] } = {
  tool: ["allowed", "denied"],
  plan: ["approved", "rejected"],
  question: ["answered", "declined to answer"],
  elicitation: ["answered", "declined to answer"],
}

function sentence({ state, by, wasLate, approval }: Settlement, me: string): string {
  const who = by === undefined || by === "" ? "Somebody else" : by === me ? "You" : forConsent(by)
  const before = wasLate ? "Your decision came second and changes nothing: " : ""
  const [yes, no] = doneWords[approval.kind]
  switch (state) {
    case "allowed":
      return `${before}${who} ${yes} this.`
    case "denied":
      return `${before}${who} ${no} this.`
    case "expired":
      return "This expired before anybody decided. The session was told."
    case "void":
      return "This is no longer needed: the session has moved on."
    default:
      return "This is no longer open."
  }
}
