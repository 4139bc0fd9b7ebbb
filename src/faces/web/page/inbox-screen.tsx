/** Everything that waits for the user, oldest first. */

import { type ReactNode, useState } from "react"
import { counted } from "#lib/figures.ts"
import { ApprovalCard } from "./approval-card.tsx"
import type { Inbox, SessionPage, SignedIn } from "./contract.ts"
import { Loading } from "./loading.tsx"
import { type Polled, useNow, usePolled } from "./polled.ts"
import { SettlementNote } from "./settlement-note.tsx"
import { useSettlements } from "./settled.ts"

/** More are shown when they are asked for. */
const step = 20

export function InboxScreen({
  inbox,
  me,
}: {
  readonly inbox: Polled<Inbox>
  readonly me: SignedIn | undefined
}): ReactNode {
  const now = useNow()
  const [most, setMost] = useState(step)
  const sessions = usePolled<SessionPage>("/api/sessions?limit=200", {
    everyMs: 15_000,
    on: ["sessions"],
  })
  const known = new Map(sessions.value?.sessions.map((session) => [session.id, session]))
  const { approvals, total = 0 } = inbox.value ?? {}
  const settlements = useSettlements(approvals)
  const decided = new Set(settlements.all.map(({ approval }) => approval.digest + approval.id + approval.sessionId))
  const open = approvals?.filter(({ digest, id, sessionId }) => !decided.has(digest + id + sessionId))
  return (
    <div className="screen narrow">
      <h1>Inbox</h1>
      <div aria-live="polite">
        {settlements.all.map((settlement) => (
          <SettlementNote
            key={settlement.approval.sessionId + settlement.approval.id + settlement.approval.digest}
            settlement={settlement}
            me={me?.name ?? ""}
            onDismiss={() => settlements.dismiss(settlement.approval)}
          />
        ))}
      </div>
      {!open && <Loading failure={inbox.failure} what="your inbox" />}
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
      {open?.slice(0, most).map((approval) => (
        <ApprovalCard
          key={approval.sessionId + approval.id}
          approval={approval}
          sessionTitle={known.get(approval.sessionId)?.title ?? approval.sessionId}
          me={me}
          now={now}
          onSettled={(settlement) => {
            settlements.add(settlement)
            inbox.refresh()
          }}
        />
      ))}
      {open && open.length > most && (
        <button type="button" className="more" onClick={() => setMost(most + step)}>
          Show more of {counted(total, "item")}
        </button>
      )}
      {approvals && open && open.length <= most && total > approvals.length && (
        <p className="note">These are the oldest of {counted(total, "item")}. The next ones follow as you decide.</p>
      )}
    </div>
  )
}
