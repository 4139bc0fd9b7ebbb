/** A question on the screen, whatever its kind. */

import { asChoices } from "#agent/words/elicitation.ts"
import type { AskingAgent } from "#agent/words/child.ts"
import type { Question, QuestionAsk } from "#agent/words/question.ts"
import type { Key } from "#faces/tui/keys.ts"
import { optional } from "#lib/optional.ts"
import { never } from "#lib/never.ts"
import { type ChoiceState, choiceShown, openChoice, pressChoice, unpointedChoice } from "./choice.ts"
import { nowhere } from "./menu.ts"
import { openPermission, permissionShown, type PermissionState, pressPermission } from "./permission.ts"
import { openPlan, planShown, type PlanState, pressPlan, withPlan } from "./plan.ts"
import type { Pressed } from "./pressed.ts"
import type { Shown } from "./shown.ts"

export type DialogState = PermissionState | ChoiceState | PlanState

export interface Dialog {
  readonly questionId: string
  /** Of what is shown: the answer applies to exactly that. */
  readonly digest: string
  /** Set if it is not the main agent that asks. */
  readonly agent?: AskingAgent
  /** When something was last typed for the prompt; keys that follow too soon are not for the dialog. */
  readonly quietSince: number
  readonly state: DialogState
  /** Undefined until the user scrolls. */
  readonly scroll: number | undefined
  /** Whether something was typed into the prompt while it was open. */
  readonly typed: "nothing" | "in the prompt"
}

export const openDialog = (
  { id, digest, ask, agent }: Question,
  now: number,
  shortPath: (path: string) => string,
): Dialog => ({
  questionId: id,
  digest,
  ...optional("agent", agent),
  quietSince: now,
  state: openState(ask, shortPath, agent),
  scroll: undefined,
  typed: "nothing",
})

function openState(ask: QuestionAsk, shortPath: (path: string) => string, agent: AskingAgent | undefined): DialogState {
  switch (ask.kind) {
    case "permission":
      return openPermission(ask, agent?.name)
    case "choice":
      return openChoice(ask)
    case "plan":
      return openPlan(ask, shortPath(ask.path), agent ? "agent" : "main")
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

/** Selects nothing after text went into the prompt, so that an Enter meant for the prompt answers nothing. */
export const typedOver = (dialog: Dialog, now: number): Dialog => ({
  ...dialog,
  quietSince: now,
  typed: "in the prompt",
  state: dialog.state.kind === "choice" ? unpointedChoice(dialog.state) : { ...dialog.state, at: nowhere },
})

export function editedDialog(dialog: Dialog, text: string, now: number): Dialog {
  if (dialog.state.kind !== "plan") return dialog
  const state = withPlan(dialog.state, text)
  return state === dialog.state ? dialog : { ...dialog, state, quietSince: now, scroll: undefined }
}

export function shownOf(state: DialogState, columns: number): Shown {
  switch (state.kind) {
    case "permission":
      return permissionShown(state, columns)
    case "choice":
      return choiceShown(state, columns)
    case "plan":
      return planShown(state, columns)
    default:
      return never(state)
  }
}
