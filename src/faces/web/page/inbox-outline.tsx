/** Beside the inbox, where there is room: what waits, in a line each, and the way to it. */

import type { ReactNode } from "react"
import { forConsent } from "#lib/printable.ts"
import { firstLine } from "#lib/rows.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import { useNow } from "./polled.ts"
import { choiceKey } from "./several-approvals.tsx"
import { ago, kindWords, waitingText } from "./words.ts"

export function InboxOutline({ open }: { readonly open: readonly ShownApproval[] }): ReactNode {
  const now = useNow()
  return (
    <aside className="outline" aria-label="What waits">
      <ol>
        {open.map((each) => (
          <li key={choiceKey(each)}>
            <button type="button" className={each.risks.length > 0 ? "risky" : ""} onClick={() => show(each)}>
              <span className="title">{forConsent(each.sessionTitle ?? each.title)}</span>
              <span className="title dim" title={`${forConsent(waitingText(each))}, ${ago(each.createdAt, now)}`}>
                {each.kind !== "tool" && `${kindWords[each.kind]}: `}
                {forConsent(firstLine(waitingText(each)))}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </aside>
  )
}

/** The card is chosen as with j and k; nothing of it is pressed. */
function show({ id, sessionId }: ShownApproval): void {
  for (const card of document.querySelectorAll<HTMLElement>("[data-approval]")) {
    if (card.dataset["approval"] !== id || card.dataset["session"] !== sessionId) continue
    card.scrollIntoView({ block: "start" })
    card.focus({ preventScroll: true })
  }
}
