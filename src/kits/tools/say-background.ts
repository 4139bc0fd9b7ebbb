/** Why a background command could not be read or ended: what happened, then what to do. */

import type { BackgroundFailure } from "#ground/workspace/processes/background.ts"
import { saySearch } from "./say-search.ts"

export function sayBackground(failure: BackgroundFailure): string {
  switch (failure.kind) {
    case "unknown": {
      const known = failure.known.slice(-10).map(({ id, status }) => `${id} (${status})`)
      const rest = known.length === 0 ? "There is none at all." : `There are ${known.join(", ")}.`
      return `There is no background command ${failure.id}. ${rest} Those of before the session was resumed have ended.`
    }
    case "watches":
      return `You watch ${failure.most} commands already. Wait until one of them has matched, or look with BashOutput.`
    case "aborted":
      return "Interrupted before it was done."
    case "filter":
      return failure.failure.kind === "bad_query"
        ? `The filter cannot be used as a regular expression; nothing was skipped. Fix it, or leave it out.\n${failure.failure.message}`
        : saySearch(failure.failure)
  }
}
