/** In place of what is not known yet, or could not be done. */

import type { ReactNode } from "react"
import { type ApiFailure, failureText } from "./api.ts"

export function Loading({
  failure,
  what,
}: {
  readonly failure: ApiFailure | undefined
  readonly what: string
}): ReactNode {
  return (
    <div className="empty" role="status">
      {failure ? (
        <>
          <h2>Could not load {what}</h2>
          <p>
            {failure.kind === "offline"
              ? "The server cannot be reached. The page tries again by itself."
              : failureText(failure)}
          </p>
        </>
      ) : (
        <p className="dim">Loading {what}…</p>
      )}
    </div>
  )
}

/** What went wrong, beside what was asked for. */
export const Problem = ({ text }: { readonly text: string }): ReactNode =>
  text !== "" && (
    <p className="bad" role="alert">
      {text}
    </p>
  )
