/** A question on the screen, whatever its kind. */

import type { Question } from "#agent/words/question.ts"
import type { Key } from "#faces/tui/keys.ts"
import { type ChoiceState, choiceBody, choiceHint, choiceRows, openChoice, pressChoice } from "./choice.ts"
import {
  openPermission,
  permissionBody,
  permissionHint,
  permissionRows,
  type PermissionState,
  pressPermission,
} from "./permission.ts"
import type { Pressed } from "./pressed.ts"

export type DialogState = PermissionState | ChoiceState

export interface Dialog {
  readonly questionId: string
  readonly shownAt: number
  readonly state: DialogState
  /** What is asked has gone to the scrollback, because it is longer than the screen. */
  readonly bodyAbove: boolean
}

export const openDialog = ({ id, ask }: Question, now: number): Dialog => ({
  questionId: id,
  shownAt: now,
  state: ask.kind === "permission" ? openPermission(ask) : openChoice(ask),
  bodyAbove: false,
})

export const pressDialog = (state: DialogState, key: Key): Pressed<DialogState> =>
  state.kind === "permission" ? pressPermission(state, key) : pressChoice(state, key)

/** What is asked. */
export const bodyOf = (state: DialogState, columns: number): string[] =>
  state.kind === "permission" ? permissionBody(state, columns) : choiceBody(state, columns)

/** What can be answered. */
export const answersOf = (state: DialogState, columns: number): string[] =>
  state.kind === "permission" ? permissionRows(state, columns) : choiceRows(state, columns)

export const hintOf = (state: DialogState): string =>
  state.kind === "permission" ? permissionHint(state) : choiceHint(state)
