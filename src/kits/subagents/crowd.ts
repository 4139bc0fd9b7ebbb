/** Limits the number of agents in a whole tree, so that none can start others without end. */

import { failed, ok, type Result } from "#lib/result.ts"

export interface Crowd {
  /** Admits one more, until the returned function is called; the failure is a message for the model. */
  readonly enter: () => Result<() => void, string>
}

const mostAtOnce = 10
const mostInAll = 500
/** The main agent is at depth 0; those at this depth cannot start others. */
export const deepest = 3

export function openCrowd(): Crowd {
  let here = 0
  let all = 0
  return {
    enter() {
      if (here >= mostAtOnce)
        return failed(`${mostAtOnce} agents work already. Wait until one is done, or end one with TaskStop.`)
      if (all >= mostInAll)
        return failed(`This session has started ${mostInAll} agents, and may start no more. Do the work yourself.`)
      here++
      all++
      let isIn = true
      return ok(() => {
        if (isIn) here--
        isIn = false
      })
    },
  }
}
