/** What a key does to a dialog. */

import type { Answer } from "#agent/words/question.ts"

/** A dialog goes on in another state, or it has come to an answer. */
export type Pressed<State> =
  { readonly kind: "goes on"; readonly state: State } | { readonly kind: "answered"; readonly answer: Answer }

export const goesOn = <State>(state: State): Pressed<State> => ({ kind: "goes on", state })

export const answered = (answer: Answer): Pressed<never> => ({ kind: "answered", answer })
