/** Carries out what was chosen in the palette; a draft in the prompt stays as it is. */

import { type Editor, emptyEditor, replaced } from "./editor/editor.ts"
import type { PaletteChoice } from "./effect.ts"
import { only, type TuiContext, type TuiOutcome } from "./outcome.ts"
import { sendLine } from "./send.ts"
import { shortcuts } from "./shortcuts.ts"
import type { TuiState } from "./state.ts"
import { withUse } from "./uses.ts"

export function chosen(state: TuiState, choice: PaletteChoice, around: TuiContext): TuiOutcome {
  if (choice.kind === "action") {
    const done = shortcuts[choice.name]?.(state, around, undefined)
    return withUse(done ?? only({ ...state, hint: "Nothing to do for it now" }), choice.name)
  }
  const { editor, stash } = state
  const command: Editor = { ...replaced({ ...emptyEditor, history: editor.history, vim: editor.vim }, choice.line) }
  if (choice.sends) {
    const sent = sendLine({ ...state, editor: command, stash: undefined }, around)
    return {
      ...sent,
      state: {
        ...sent.state,
        editor: { ...editor, history: sent.state.editor.history, vim: sent.state.editor.vim },
        stash,
      },
    }
  }
  // It needs words: a draft waits until it was sent.
  const isEmpty = editor.buffer.text === ""
  return only({ ...state, editor: replaced(command, `${choice.line} `), stash: isEmpty ? stash : editor })
}
