/** What a key does to a dialog. */

import type { Answer } from "#agent/words/question.ts"
import type { Key } from "#faces/tui/keys.ts"

export type Pressed<State> =
  | { readonly kind: "stays open"; readonly state: State }
  | { readonly kind: "answered"; readonly answer: Answer }
  /** Opens the text in the user's own editor. */
  | { readonly kind: "edits"; readonly text: string }
  | { readonly kind: "unused" }

export const staysOpen = <State>(state: State): Pressed<State> => ({ kind: "stays open", state })
export const answered = (answer: Answer): Pressed<never> => ({ kind: "answered", answer })
export const edits = (text: string): Pressed<never> => ({ kind: "edits", text })
export const unused: Pressed<never> = { kind: "unused" }

export const nameOf = (key: Key): string => (key.kind === "key" ? key.name : "")
