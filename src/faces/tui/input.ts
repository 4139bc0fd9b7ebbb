/** Where a key goes: to the pager, to a panel, or to the conversation. */

import type { SessionMirror } from "./session-mirror.ts"
import type { Key } from "./keys.ts"
import type { TuiContext, TuiOutcome } from "./outcome.ts"
import type { Pager } from "./pager/pager.ts"
import type { OpenPanelHost } from "./panels/host.ts"
import { isOverQuestions } from "./panels/panel.ts"
import { pressKey } from "./press.ts"
import type { Stage } from "./stage.ts"

export interface InputParts {
  readonly stage: Stage
  readonly panels: OpenPanelHost
  readonly pager: Pager
  readonly here: SessionMirror
  readonly around: () => TuiContext
  readonly carryOut: (outcome: TuiOutcome) => void
  readonly showNextQuestion: () => void
  readonly draw: () => void
}

export function openInput(parts: InputParts): (key: Key) => void {
  const { stage, panels, pager, here, around, carryOut, showNextQuestion, draw } = parts
  return (key) => {
    if (pager.isOpen()) return pager.press(key)
    if ((!stage.state().dialog || isOverQuestions(panels.shown())) && panels.press(key)) return draw()
    carryOut(pressKey(stage.state(), key, around()))
    showNextQuestion()
    if (stage.state().completion) here.refresh("commands")
    draw()
  }
}
