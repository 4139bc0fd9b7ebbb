/** How a session deals with whoever is behind it: who answers, how patient it is, how it ends. */

import type { Answerer } from "#agent/words/question.ts"

export interface Manner {
  readonly asks: Answerer
  /** How long a request waits for what it could do without. */
  readonly patienceMs: { readonly git: number; readonly servers: number }
  /** The reason that hooks are given when it ends. */
  readonly ends: string
}

/** At a screen git is done before anything is typed, and nobody wants to wait for servers. */
export const atTerminal: Manner = {
  asks: "person",
  patienceMs: { git: 20, servers: 0 },
  ends: "prompt_input_exit",
}

/** A run without a person may have no second request to be told with. */
export const headless: Manner = { asks: "nobody", patienceMs: { git: 100, servers: 5_000 }, ends: "other" }
