/** Everything that waits for the user, oldest first. */

import { type ReactNode, useState } from "react"
import { counted } from "#lib/figures.ts"
import { InboxOutline } from "./inbox-outline.tsx"
import { PendingApprovals } from "./pending-approvals.tsx"
import type { Inbox, SignedIn } from "./contract.ts"
import { Loading } from "./loading.tsx"
import type { Polled } from "./polled.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import type { ApprovalCardProps } from "./approval-card.tsx"
import { type Settlement, useSettlements } from "./settled.ts"
import { choiceKey, isOneOfMany, SeveralApprovals } from "./several-approvals.tsx"

/** More are shown when they are asked for. */
const step = 20

export function InboxScreen({
  inbox,
  me,
}: {
  readonly inbox: Polled<Inbox>
  readonly me: SignedIn | undefined
}): ReactNode {
  const [most, setMost] = useState(step)
  const { approvals, total = 0 } = inbox.value ?? {}
  const settlements = useSettlements(approvals)
  const { placed } = settlements
  const open = approvals && placed.flatMap((each) => each.open ?? [])
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set())
  const settle = (settlement: Settlement): void => {
    settlements.add(settlement)
    inbox.refresh()
  }
  const selectionOf = (approval: ShownApproval): ApprovalCardProps["selection"] =>
    isOneOfMany(approval)
      ? {
          isChosen: chosen.has(choiceKey(approval)),
          onChange: (isChosen) =>
            setChosen((before) => {
              const rest = [...before].filter((each) => each !== choiceKey(approval))
              return new Set(isChosen ? [...rest, choiceKey(approval)] : rest)
            }),
        }
      : undefined
  const last = open?.[most - 1]
  const end = last ? placed.findIndex((each) => each.open === last) + 1 : placed.length
  return (
    <div className={open && open.length > 1 ? "screen inbox listed" : "screen inbox"}>
      <h1>Inbox</h1>
      {open && open.length > 1 && <InboxOutline open={open.slice(0, most)} />}
      <div className="cards">
        {!open && <Loading failure={inbox.failure} what="your inbox" />}
        <PendingApprovals
          placed={placed.slice(0, end)}
          isInbox
          me={me}
          readOnly={me?.role === "viewer" ? "Your role is viewer: an operator decides." : undefined}
          selectionOf={selectionOf}
          onSettled={settle}
          onDismiss={settlements.dismiss}
        />
        <SeveralApprovals
          me={me}
          chosen={(open ?? []).filter((each) => chosen.has(choiceKey(each)))}
          onSettled={settle}
          onClear={() => setChosen(new Set())}
        />
        {open?.length === 0 && (
          <div className="empty">
            <h2>Nothing is waiting for you</h2>
            <p>Plans, commands and questions of your sessions appear here when they need a decision.</p>
            <p>
              <a href="#/new" className="button">
                Start a session
              </a>
            </p>
          </div>
        )}
        {open && open.length > most && (
          <button type="button" className="more" onClick={() => setMost(most + step)}>
            Show more of {counted(total, "item")}
          </button>
        )}
        {approvals && open && open.length <= most && total > approvals.length && (
          <p className="note">These are the oldest of {counted(total, "item")}. The next ones follow as you decide.</p>
        )}
      </div>
    </div>
  )
}
