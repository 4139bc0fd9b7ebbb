/** Prompts to try, shown while nothing was said yet; Tab puts one after the other into the prompt. */

import type { SessionState } from "#agent/words/state.ts"
import { isBusy } from "#faces/view/view.ts"
import type { Status, TuiState } from "./state.ts"

type Said = Pick<SessionState, "turns">

const isUnsaid = ({ view, editor, examples }: TuiState, { turns }: Said): boolean =>
  examples.length > 0 && turns === 0 && !isBusy(view) && view.items.length === 0 && editor.kind === "prompt"

export function shownExamples(state: TuiState, { session }: Pick<Status, "session">): readonly string[] {
  const { editor, examples, dialog, completion, help, search } = state
  const isOpen = dialog ?? completion ?? search
  const { text } = editor.buffer
  if (!isUnsaid(state, session) || isOpen || help === "shown") return []
  return text === "" || examples.includes(text) ? examples : []
}

/** After the one in the prompt; undefined if something else is written there. */
export function nextExample(state: TuiState, session: Said): string | undefined {
  const { editor, examples } = state
  if (!isUnsaid(state, session)) return undefined
  const { text } = editor.buffer
  const at = examples.indexOf(text)
  return text !== "" && at === -1 ? undefined : examples[(at + 1) % examples.length]
}
