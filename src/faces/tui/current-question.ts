/** Which question is shown: they come one at a time, one that was answered elsewhere goes, and one that changed is shown again. */

import type { Question } from "#agent/words/question.ts"
import { openDialog } from "./dialogs/dialog.ts"
import type { TuiState } from "./state.ts"

export function withQuestion(
  state: TuiState,
  isOpen: (question: Question) => boolean,
  { now, shortPath = String }: { readonly now: number; readonly shortPath?: ((path: string) => string) | undefined },
): { readonly state: TuiState; readonly asks?: Question } {
  const { dialog, view } = state
  if (dialog && view.questions.some((each) => each.id === dialog.questionId && each.digest === dialog.digest))
    return { state }
  const next = view.questions.find(isOpen)
  if (!next) return { state: dialog ? { ...state, dialog: undefined } : state }
  return { state: { ...state, dialog: openDialog(next, now, shortPath) }, asks: next }
}
