/** Limits on the number of calls: one beyond them does not run, and the turn ends. */

import type { Kit } from "#agent/words/kit.ts"
import { refused } from "#agent/words/tool.ts"

export interface CallLimits {
  /** Of the session, in this run of the program. */
  readonly session?: number
  readonly turn?: number
}

/** Shared by a session and its agents, so that starting an agent gains nothing. */
export interface CallAllowance {
  /** Counts a call that is about to run; why it may not, if so. */
  readonly spend: () => string | undefined
  readonly beginTurn: () => void
}

export function openCallAllowance({ session = Infinity, turn = Infinity }: CallLimits): CallAllowance {
  let ofSession = 0
  let ofTurn = 0
  return {
    spend() {
      if (ofSession >= session) return words(session, "session")
      if (ofTurn >= turn) return words(turn, "turn")
      ofSession++
      ofTurn++
      return undefined
    },
    beginTurn: () => void (ofTurn = 0),
  }
}

const words = (most: number, of: "session" | "turn"): string =>
  `Stopped after ${most} ${most === 1 ? "call" : "calls"} of tools, the limit set for this ${of}.`

/** `counts`: the turns of an agent are part of its parent's. */
export const callLimitKit = ({ spend, beginTurn }: CallAllowance, counts: "turns" | "calls"): Kit => ({
  name: "call limit",
  async middleware(call, next) {
    const message = spend()
    return message === undefined
      ? next(call)
      : refused(`Not run. ${message}`, { end: { reason: "max_turns", cause: "max_tool_calls", message } })
  },
  ...(counts === "turns" && { onEntry: ({ kind }) => kind === "turn_start" && beginTurn() }),
})
