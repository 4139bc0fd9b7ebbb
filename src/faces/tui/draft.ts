/** The draft as a whole: putting it away, clearing it, and the pictures in it. */

import type { ImageBlock } from "#agent/words/message.ts"
import { attached, type Editor, emptyEditor, lineOf, replaced, sent } from "./editor/editor.ts"
import { withoutSelection } from "./editor/vim-state.ts"
import type { Effect } from "./effect.ts"
import { only, type TuiOutcome } from "./outcome.ts"
import type { TuiState } from "./state.ts"

/** The cleared text stays in the history. */
export function cleared(state: TuiState): TuiOutcome {
  const line = lineOf(state.editor)
  const next = { ...state, editor: sent(state.editor), completion: undefined }
  return line === "" ? only(next) : only(next, { kind: "remember", line })
}

/** Stashes the draft, or restores the stashed one; if there are both, they are swapped. */
export function stashed(state: TuiState): TuiOutcome {
  const { editor, stash } = state
  const isEmpty = editor.buffer.text === ""
  if (isEmpty && !stash) return only({ ...state, hint: "Nothing to stash" })
  const next = stash ? restored(editor, stash) : { ...fresh(editor) }
  return only({
    ...state,
    editor: next,
    stash: isEmpty ? undefined : editor,
    completion: undefined,
    ...(!isEmpty && { hint: "Stashed; the same key to restore" }),
  })
}

/** Restores the stashed draft after something else was sent. */
export function unstashed(state: TuiState): TuiState {
  const { stash, editor } = state
  return stash ? { ...state, editor: restored(editor, stash), stash: undefined } : state
}

const fresh = ({ kills, history, vim }: Editor): Editor => ({
  ...emptyEditor,
  kills,
  history,
  vim: vim && withoutSelection(vim),
})

const restored = (editor: Editor, { buffer, undo, redo, placeholders, kind }: Editor): Editor => ({
  ...fresh(editor),
  buffer,
  undo,
  redo,
  placeholders,
  kind,
})

/** Reserves a place for a picture before it is read, so that nothing is sent without it. */
export function awaitingPicture(state: TuiState, effect: (name: string) => Effect): TuiOutcome {
  const { editor, name } = attached(state.editor, { kind: "picture", block: undefined })
  return only({ ...state, editor, completion: undefined }, effect(name))
}

export function pictured(state: TuiState, name: string, block: ImageBlock): TuiState {
  return onDrafts(state, name, (editor) => ({
    ...editor,
    placeholders: { ...editor.placeholders, [name]: { kind: "picture", block } },
  }))
}

/** Text takes the picture's place, and nothing is sent until the user has seen that. */
export function unpictured(state: TuiState, name: string, text: string): TuiState {
  return onDrafts({ ...state, hint: undefined }, name, (editor) => {
    const { [name]: _gone, ...placeholders } = editor.placeholders
    const { buffer } = editor
    const from = buffer.text.indexOf(name)
    if (from === -1) return { ...editor, placeholders }
    const next = replaced(editor, buffer.text.slice(0, from) + text + buffer.text.slice(from + name.length))
    const at = buffer.at <= from ? buffer.at : Math.max(from, buffer.at - name.length + text.length)
    return { ...next, placeholders, buffer: { ...next.buffer, at } }
  })
}

/** In the prompt or in the stash. */
function onDrafts(state: TuiState, name: string, change: (editor: Editor) => Editor): TuiState {
  const isWaiting = (editor: Editor): boolean => {
    const stand = editor.placeholders[name]
    return stand?.kind === "picture" && stand.block === undefined
  }
  if (isWaiting(state.editor)) return { ...state, editor: change(state.editor) }
  return state.stash && isWaiting(state.stash) ? { ...state, stash: change(state.stash) } : state
}
