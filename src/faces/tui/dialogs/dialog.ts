/** A question on the screen, whatever its kind. */

import { asChoices } from "#agent/words/elicitation.ts"
import type { Question, QuestionAsk } from "#agent/words/question.ts"
import type { Key } from "#faces/tui/keys.ts"
import { never } from "#lib/never.ts"
import { type ChoiceState, choiceBody, choiceHint, choiceRows, openChoice, pressChoice } from "./choice.ts"
import {
  openPermission,
  permissionBody,
  permissionHint,
  permissionRows,
  type PermissionState,
  pressPermission,
} from "./permission.ts"
import { openPlan, planBody, planHint, planRows, type PlanState, pressPlan, withPlan } from "./plan.ts"
import type { Pressed } from "./pressed.ts"

export type DialogState = PermissionState | ChoiceState | PlanState

export interface Dialog {
  readonly questionId: string
  /** Of what is shown: the answer is to that and nothing else. */
  readonly digest: string
  readonly shownAt: number
  readonly state: DialogState
  /** What is asked has gone to the scrollback, because it is longer than the screen. */
  readonly bodyAbove: boolean
}

export const openDialog = ({ id, digest, ask }: Question, now: number): Dialog => ({
  questionId: id,
  digest,
  shownAt: now,
  state: openState(ask),
  bodyAbove: false,
})

function openState(ask: QuestionAsk): DialogState {
  switch (ask.kind) {
    case "permission":
      return openPermission(ask)
    case "choice":
      return openChoice(ask)
    case "plan":
      return openPlan(ask)
    case "elicitation":
      return openChoice(asChoices(ask) ?? { ...ask, kind: "choice", questions: [] })
    default:
      return never(ask)
  }
}

export function pressDialog(state: DialogState, key: Key): Pressed<DialogState> {
  switch (state.kind) {
    case "permission":
      return pressPermission(state, key)
    case "choice":
      return pressChoice(state, key)
    case "plan":
      return pressPlan(state, key)
    default:
      return never(state)
  }
}

/** What came back from the person's editor is shown anew, whole. */
export function editedDialog(dialog: Dialog, text: string, now: number): Dialog {
  if (dialog.state.kind !== "plan") return dialog
  const state = withPlan(dialog.state, text)
  return state === dialog.state ? dialog : { ...dialog, state, shownAt: now, bodyAbove: false }
}

/** What is asked. */
export function bodyOf(state: DialogState, columns: number): string[] {
  switch (state.kind) {
    case "permission":
      return permissionBody(state, columns)
    case "choice":
      return choiceBody(state, columns)
    case "plan":
      return planBody(state, columns)
    default:
      return never(state)
  }
}

/** What can be answered. */
export function answersOf(state: DialogState, columns: number): string[] {
  switch (state.kind) {
    case "permission":
      return permissionRows(state, columns)
    case "choice":
      return choiceRows(state, columns)
    case "plan":
      return planRows(state, columns)
    default:
      return never(state)
  }
}

export function hintOf(state: DialogState): string {
  switch (state.kind) {
    case "permission":
      return permissionHint(state)
    case "choice":
      return choiceHint(state)
    case "plan":
      return planHint(state)
    default:
      return never(state)
  }
}
