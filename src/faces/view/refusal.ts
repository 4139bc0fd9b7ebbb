/** Why a call was not made, in a line for people. */

import type { Reason } from "#agent/words/permission.ts"
import type { Answer } from "#agent/words/question.ts"

/** Undefined if the answer does not refuse. */
export function refusalOf(answer: Answer): string | undefined {
  const words = answer.kind === "deny" ? (answer.words?.trim() ?? "") : undefined
  if (words === undefined) return undefined
  return words === "" ? declined : `${declined}: ${words}`
}

const declined = "Declined"

export function denialWords(reason: Reason): string {
  switch (reason.kind) {
    case "rule":
      return `Denied by the rule ${reason.rule} (${reason.source})`
    case "mode":
      return reason.mode === "dontAsk" ? "Denied: no rule allows this" : `Denied in ${reason.mode} mode`
    case "hook":
      return `Denied by the hook ${reason.name}`
    case "tool_check":
      return `Denied: ${reason.check}`
    case "classifier":
      return `Denied in auto mode: ${reason.why}`
    case "no_one_to_ask":
      return "Denied: needs your approval"
    default:
      return declined
  }
}
