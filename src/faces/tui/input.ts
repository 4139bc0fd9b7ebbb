/** Where a key or a click goes: to the pager, to a panel, or to the conversation. */

import type { SessionMirror } from "./session-mirror.ts"
import type { Key } from "./keys.ts"
import type { TuiContext, TuiOutcome } from "./outcome.ts"
import type { Pager } from "./pager/pager.ts"
import type { OpenPanelHost } from "./panels/host.ts"
import { panelBottom } from "./frame.ts"
import { isOverQuestions } from "./panels/panel.ts"
import { pressKey } from "./press.ts"
import type { ThemedScreen } from "./themed-screen.ts"
import type { Stage } from "./stage.ts"
import type { Terminal } from "./terminal.ts"

export interface InputParts {
  readonly stage: Stage
  readonly panels: OpenPanelHost
  readonly pager: Pager
  readonly here: SessionMirror
  readonly around: () => TuiContext
  readonly carryOut: (outcome: TuiOutcome) => void
  readonly showNextQuestion: () => void
  readonly draw: () => void
  readonly terminal: Pick<Terminal, "write" | "size">
  readonly screen: Pick<ThemedScreen, "rowsBelow">
}

export function openInput(parts: InputParts): (key: Key) => void {
  const { stage, panels, pager, here, around, carryOut, showNextQuestion, draw } = parts
  const click = openClicks(parts)
  return (key) => {
    if (pager.isOpen()) return pager.press(key)
    if (key.kind === "key" && click(key)) return
    if ((!stage.state().dialog || isOverQuestions(panels.shown())) && panels.press(key)) return draw()
    carryOut(pressKey(stage.state(), key, around()))
    showNextQuestion()
    if (stage.state().completion) here.refresh("commands")
    draw()
  }
}

/** The answer comes as input, like a key. */
const askCursor = "\u001b[6n"

/** Whether the key was one of the mouse. A click says where on the screen it was, so the terminal is asked where we are. */
function openClicks({ terminal, screen, panels, draw }: InputParts): (key: Key & { readonly kind: "key" }) => boolean {
  let clicked: number | undefined
  return ({ name, at }) => {
    if (name === "click" && at) {
      clicked = at.row
      terminal.write(askCursor)
    }
    const panel = panels.shown()
    if (name === "cursor" && at && clicked !== undefined && panel) {
      const last = at.row + screen.rowsBelow()
      const { length } = panelBottom(panel, terminal.size()).rows
      // An empty row comes before its title.
      panels.click(clicked - (last - length + 1) - 1)
      clicked = undefined
      draw()
    }
    return name === "click" || name === "cursor"
  }
}
