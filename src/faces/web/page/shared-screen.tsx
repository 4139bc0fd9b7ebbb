/** A link that somebody shared: opens the session that it is for. */

import { type ReactNode, useEffect, useState } from "react"
import { failureText, post } from "./api.ts"
import type { SharedSession } from "./contract-lists.ts"
import { toSession } from "./route.ts"

export function SharedScreen({ link }: { readonly link: string }): ReactNode {
  const [problem, setProblem] = useState("")
  useEffect(() => {
    void post<SharedSession>("/api/shared", { link }).then((opened) => {
      if (!opened.ok) return setProblem(failureText(opened.failure))
      // The link does not stay in the history of the browser.
      history.replaceState(null, "", toSession(opened.value.sessionId))
      dispatchEvent(new HashChangeEvent("hashchange"))
    })
  }, [link])
  return (
    <div className="empty">
      <h1>Shared session</h1>
      <p role="status">{problem === "" ? "Opening…" : problem}</p>
    </div>
  )
}
