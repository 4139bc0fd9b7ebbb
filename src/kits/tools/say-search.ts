/** A failed search as a message: what happened, then what to do. */

import type { SearchFailure } from "#ground/workspace/search/ripgrep.ts"

export function saySearch(failure: SearchFailure): string {
  switch (failure.kind) {
    case "bad_query":
      return failure.message
    case "timed_out":
      return `The search found nothing within ${failure.seconds} s and was ended. Search a smaller folder, or narrow it with glob or type.`
    case "aborted":
      return "Interrupted before the search was done."
    case "broken":
      return `The search program broke down (exit code ${failure.exitCode}), so this says nothing about what there is. Try once more.${failure.message && `\n${failure.message}`}`
    case "unavailable":
      return `The search program could not be started. ${failure.message}`
  }
}
