/** Which question is shown: they come one at a time, and one that was answered elsewhere goes. */

import type { Question } from "#agent/words/question.ts"
import { openDialog } from "./dialogs/dialog.ts"
import type { TuiState } from "./state.ts"

/** The state with the question that is to be shown now, and that question if it is a new one. `open` are those that still wait. */
export function withQuestion(
  state: TuiState,
  open: readonly Question[],
  now: number,
): { readonly state: TuiState; readonly asks?: Question } {
  const { dialog, view } = state
  if (dialog && view.questions.some(({ id }) => id === dialog.questionId)) return { state }
  const waiting = new Set(open.map(({ id }) => id))
  const next = view.questions.find(({ id }) => waiting.has(id))
  if (!next) return { state: dialog ? { ...state, dialog: undefined } : state }
  return { state: { ...state, dialog: openDialog(next, now) }, asks: next }
}
