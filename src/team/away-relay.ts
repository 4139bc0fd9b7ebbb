/**
 * The relay of a member whose lead may run nowhere: it reads what was handed down, and asks nobody. What would go beyond it is not granted: rules that
 * its user gives it are its own, and a budget that is used up stays so.
 */

import type { Relay } from "#agent/words/relay.ts"
import type { JsonObject } from "#lib/json.ts"

const nothing = { costUsd: 0, tokens: 0 }

export const awayRelay = (handed: () => JsonObject | undefined): Relay => ({
  handDown: () => {},
  handed,
  ask: () => {},
  asks: () => [],
  answer: () => true,
  answerTo: (id) => (id.startsWith("question ") ? undefined : {}),
  withdraw: () => {},
  order: () => {},
  orders: () => [],
  spending: {
    inTurn: (_run, work) => void work(nothing),
    settle: () => {},
    takeOver: () => {},
    release: () => {},
  },
})
