/** What is in the way of a session: nobody can take it, or others work in its folder. */

import type { ReactNode } from "react"
import { isOver } from "#agent/words/stage.ts"
import { forConsent } from "#lib/printable.ts"
import type { ShownSession } from "./contract.ts"
import { toSession } from "./route.ts"
import { placeText } from "./words.ts"

export function SessionNotes({ session }: { readonly session: ShownSession }): ReactNode {
  const { stuck, queued, sharedWith, stage, workspace } = session
  return (
    <>
      {stuck !== undefined && <p className="note failed">{forConsent(stuck)}</p>}
      {queued !== undefined && <p className="note">{forConsent(queued)}</p>}
      {sharedWith && !isOver(stage) && (
        <p className="note">
          {/* One piece: a note puts its pieces beside each other. */}
          <span>
            {sharedWith.count === 1 ? "Another session works" : `${sharedWith.count} other sessions work`} in{" "}
            {forConsent(placeText(workspace))} too, so they may overwrite each other's changes.{" "}
            {sharedWith.sessions.map(({ id, title }, nth) => (
              <span key={id}>
                {nth > 0 && ", "}
                <a href={toSession(id)}>{forConsent(title)}</a>
              </span>
            ))}
          </span>
        </p>
      )}
    </>
  )
}
