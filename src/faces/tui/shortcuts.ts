/** What the actions of the whole face do; those of the text are the editor's. Nothing where an action has nothing to do. */

import type { PermissionMode } from "#agent/words/permission.ts"
import { isBusy } from "#faces/view/view.ts"
import { awaitingPicture, cleared, stashed } from "./draft.ts"
import { moved } from "./editor/change.ts"
import { fullText } from "./editor/editor.ts"
import { isNormal } from "./editor/vim.ts"
import { beyondRow } from "./editor/wrap.ts"
import type { ActionName } from "./keymap.ts"
import { type TuiContext, only, type TuiOutcome } from "./outcome.ts"
import { promptRoom } from "./parts/editor.ts"
import { hasSide, leastForSide } from "./parts/side-column.ts"
import { stopAndTakeBack, withdrawLast } from "./returned.ts"
import { sendLine } from "./send.ts"
import type { TuiState } from "./state.ts"

/** `hint`: the hint shown when the key was pressed, by which a second press is recognised. */
type Shortcut = (state: TuiState, around: TuiContext, hint: string | undefined) => TuiOutcome | undefined

const leaveHint = "Ctrl+C again to quit"
const clearHint = "Esc again to clear the prompt"
const ownStaysHint = "Your own command cannot move to the background; Esc to stop it"
const rewindHint = "Esc again to rewind"

/** The first press clears the line or stops the work; the second quits. */
const cancel: Shortcut = (state, _, hint) => {
  // Queued text may have come back since the first press.
  if (hint === leaveHint && state.editor.buffer.text === "") return only(state, { kind: "leave" })
  const { state: next, effects } = cleared(state)
  const calm = { ...next, search: undefined, held: "", hint: leaveHint }
  return isBusy(state.view) ? only(calm, ...effects, { kind: "submit", op: stopAndTakeBack }) : only(calm, ...effects)
}

const stop: Shortcut = (state, { offers }, hint) => {
  const { editor, view, help } = state
  const isEmpty = editor.buffer.text === ""
  if (help === "shown") return only({ ...state, help: "hidden" })
  if (isEmpty && editor.kind !== "prompt") return only({ ...state, editor: { ...editor, kind: "prompt" } })
  if (isBusy(view) || view.queue.length > 0) return only(state, { kind: "submit", op: stopAndTakeBack })
  if (!isEmpty) return hint === clearHint ? cleared(state) : only({ ...state, hint: clearHint })
  if (!offers.has("rewind")) return only(state)
  return hint === rewindHint
    ? only(state, { kind: "panel", panel: "rewind", query: "" })
    : only({ ...state, hint: rewindHint })
}

const nextMode = (mode: PermissionMode, cycle: readonly PermissionMode[]): PermissionMode =>
  cycle[(cycle.indexOf(mode) + 1) % cycle.length] ?? "default"

/** Only while a command or an agent runs; otherwise the key belongs to the text. */
const toBackground: Shortcut = (state) => {
  if (state.view.chore === "shell") return only({ ...state, hint: ownStaysHint })
  const runs = state.view.items.some((item) => item.kind === "call" && item.movable && item.state === "running")
  return runs ? only(state, { kind: "submit", op: { type: "background" } }) : undefined
}

/** The prompt is empty, so a queued one may be edited. */
export const canWithdraw = ({ editor, view }: TuiState): boolean =>
  editor.buffer.text === "" && editor.kind === "prompt" && view.queue.length > 0

/** An empty prompt above the list of agents. */
const canOpenTasks = ({ editor }: TuiState, agents: number): boolean =>
  agents > 0 && editor.buffer.text === "" && editor.kind === "prompt"

const widthOf = ({ promptColumns }: TuiState, columns: number): number => promptColumns || columns

/** Moves between drawn rows; at the first and the last the text decides. */
const byRow =
  (direction: "up" | "down"): Shortcut =>
  (state, { columns, agents }) => {
    const { editor } = state
    if (direction === "up" && canWithdraw(state)) return only(state, { kind: "submit", op: withdrawLast })
    if (direction === "down" && canOpenTasks(state, agents))
      return only(state, { kind: "panel", panel: "tasks", query: "" })
    const at = isNormal(editor) ? undefined : beyondRow(editor.buffer, promptRoom(widthOf(state, columns)), direction)
    return at === undefined ? undefined : only({ ...state, editor: { ...editor, ...moved(editor, at) } })
  }

export const shortcuts: { readonly [name in ActionName]?: Shortcut } = {
  send: sendLine,
  cancel,
  stop,
  leave: (state) => (state.editor.buffer.text === "" ? only(state, { kind: "leave" }) : undefined),
  palette: (state, { columns }) =>
    beyondRow(state.editor.buffer, promptRoom(widthOf(state, columns)), "up") === undefined
      ? only(state, { kind: "palette" })
      : undefined,
  suspend: (state) => only(state, { kind: "suspend" }),
  redraw: (state) => only(state, { kind: "redraw" }),
  "next-mode": (state, { session, modeCycle }) =>
    only(state, { kind: "submit", op: { type: "set_mode", mode: nextMode(session.mode, modeCycle) } }),
  "toggle-thinking": (state) => only(state, { kind: "submit", op: { type: "set_thinking", to: "toggle" } }),
  "show-transcript": (state) => only(state, { kind: "pager" }),
  "toggle-todos": (state) =>
    state.view.todos.length === 0 && state.editor.buffer.text !== ""
      ? undefined
      : only({ ...state, todos: state.todos === "shown" ? "hidden" : "shown" }),
  "toggle-side": (state, { columns, rows }) =>
    columns < leastForSide
      ? only({ ...state, hint: `The column needs ${leastForSide} columns` })
      : only({ ...state, side: hasSide(state, { columns, rows }) ? "hidden" : "shown" }),
  "to-background": toBackground,
  "search-history": (state) => only({ ...state, search: { text: "", at: 0 }, completion: undefined }),
  stash: stashed,
  up: byRow("up"),
  down: byRow("down"),
  "edit-outside": (state, { offers }) =>
    offers.has("editor")
      ? only({ ...state, completion: undefined }, { kind: "edit_prompt", text: fullText(state.editor) })
      : only({ ...state, hint: "No editor found; set EDITOR" }),
  paste: (state, { offers }) =>
    offers.has("pictures") ? awaitingPicture(state, (name) => ({ kind: "paste", name })) : undefined,
  help: (state) =>
    state.editor.buffer.text === "" && state.editor.kind === "prompt"
      ? only({ ...state, help: state.help === "shown" ? "hidden" : "shown" })
      : undefined,
}
