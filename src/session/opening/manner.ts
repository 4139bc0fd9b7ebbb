/** How a session treats whoever runs it: who answers, how patient it is, how it ends. */

import type { Answerer } from "#agent/words/question.ts"

export interface Manner {
  readonly asks: Answerer
  /** Questions of servers go to the client although it answers no others. */
  readonly elicits?: "client"
  /** A call that a hook defers may end the run, which leaves its question open. */
  readonly leaves?: true
  /** Agents work beside the conversation, unless a call waits for one; each call waits when absent. */
  readonly agents?: "beside"
  /** How long a request waits for servers. */
  readonly patienceMs: { readonly servers: number }
  /** The reason given to hooks when it ends. */
  readonly ends: string
}

export const canElicit = ({ asks, elicits }: Manner): boolean => asks !== "nobody" || elicits === "client"

/** In a terminal nobody wants to wait for servers. */
export const atTerminal: Manner = {
  asks: "person",
  patienceMs: { servers: 0 },
  ends: "prompt_input_exit",
}

/** A run without a user may have no second request to be told with. */
export const headless: Manner = { asks: "nobody", patienceMs: { servers: 5_000 }, ends: "other" }
