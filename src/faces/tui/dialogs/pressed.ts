/** What a key does to a dialog. */

import type { Answer } from "#agent/words/question.ts"

/** A dialog goes on in another state, has come to an answer, or wants a text changed in the person's own editor. */
export type Pressed<State> =
  | { readonly kind: "goes on"; readonly state: State }
  | { readonly kind: "answered"; readonly answer: Answer }
  | { readonly kind: "edits"; readonly text: string }

export const goesOn = <State>(state: State): Pressed<State> => ({ kind: "goes on", state })
export const answered = (answer: Answer): Pressed<never> => ({ kind: "answered", answer })
export const edits = (text: string): Pressed<never> => ({ kind: "edits", text })
