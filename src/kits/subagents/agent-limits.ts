/** Limits the number of agents in a whole tree, so that none can start others without end. */

import { failed, ok, type Result } from "#lib/result.ts"

export interface AgentLimits {
  /** Admits one more, until the returned function is called; the failure is a message for the model. */
  readonly enter: (as: "agent" | "member") => Result<() => void, string>
}

const mostAtOnce = 10
const mostMembers = 16
const mostInAll = 500
/** The main agent is at depth 0; those at this depth cannot start others. */
export const deepest = 3

export function openAgentLimits(): AgentLimits {
  let here = 0
  let members = 0
  let all = 0
  return {
    enter(as) {
      if (as === "member" && members >= mostMembers)
        return failed(`The team has ${mostMembers} members already. Ask one to leave first.`)
      if (as === "agent" && here >= mostAtOnce)
        return failed(`${mostAtOnce} agents work already. Wait until one is done, or end one with TaskStop.`)
      if (all >= mostInAll)
        return failed(`This session has started ${mostInAll} agents, and may start no more. Do the work yourself.`)
      if (as === "member") members++
      else here++
      all++
      let isIn = true
      return ok(() => {
        if (isIn && as === "member") members--
        else if (isIn) here--
        isIn = false
      })
    },
  }
}
