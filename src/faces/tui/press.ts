/** What each key does: a new state, and what is asked of the world. Pure. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { SessionState } from "#session/state.ts"
import { runCommandLine } from "./commands.ts"
import { accepted, completed, pointed } from "./complete.ts"
import { pressDialog } from "./dialogs/dialog.ts"
import { fullText, press, replaced, sent } from "./editor/editor.ts"
import { remove } from "./editor/buffer.ts"
import { search } from "./editor/history.ts"
import type { Effect } from "./effect.ts"
import type { Key } from "./keys.ts"
import type { TuiState } from "./state.ts"

export interface Outcome {
  readonly state: TuiState
  readonly effects: readonly Effect[]
}

export interface Around {
  readonly session: SessionState
  readonly now: number
}

/** What comes sooner than this after a dialog appeared was typed for something else. */
const tooSoonMs = 300
const leaveHint = "Ctrl+C again leaves"

const only = (state: TuiState, ...effects: readonly Effect[]): Outcome => ({ state, effects })

export function pressKey(state: TuiState, key: Key, around: Around): Outcome {
  const name = key.kind === "key" ? key.name : ""
  if (name === "ctrl+c") return interruptOrLeave(state)
  const calm = state.hint === undefined ? state : { ...state, hint: undefined }
  if (name === "ctrl+z") return only(calm, { kind: "suspend" })
  if (calm.dialog) return pressInDialog(calm, key, around)
  if (calm.search) return pressInSearch(calm, key)
  return pressInCompletion(calm, name) ?? pressShortcut(calm, key, around) ?? pressInEditor(calm, key)
}

/** The first press takes back the line or stops the work; the second one leaves. */
function interruptOrLeave(state: TuiState): Outcome {
  if (state.hint === leaveHint) return only(state, { kind: "leave" })
  const cleared = { ...state, editor: replaced(state.editor, ""), completion: undefined, hint: leaveHint }
  return state.view.working ? only(cleared, { kind: "submit", op: { type: "interrupt" } }) : only(cleared)
}

function pressInDialog(state: TuiState, key: Key, { now }: Around): Outcome {
  const { dialog } = state
  if (!dialog) return only(state)
  // Whoever is still typing something else has not read it yet.
  if (now - dialog.shownAt < tooSoonMs) return only({ ...state, dialog: { ...dialog, shownAt: now } })
  const pressed = pressDialog(dialog.state, key)
  if (pressed.kind === "goes on") return only({ ...state, dialog: { ...dialog, state: pressed.state } })
  const op = { type: "answer", questionId: dialog.questionId, answer: pressed.answer } as const
  return only({ ...state, dialog: undefined }, { kind: "submit", op })
}

function pressInSearch(state: TuiState, key: Key): Outcome {
  const { search: at, editor } = state
  if (!at) return only(state)
  if (key.kind !== "key") return only({ ...state, search: { text: at.text + key.text, skip: 0 } })
  switch (key.name) {
    case "ctrl+r":
      return only({ ...state, search: { ...at, skip: at.skip + 1 } })
    case "backspace":
      return only({ ...state, search: { text: at.text.slice(0, -1), skip: 0 } })
    case "escape":
      return only({ ...state, search: undefined })
    default: {
      const found = search(editor.history, at.text, at.skip)
      return only({ ...state, search: undefined, ...(found !== undefined && { editor: replaced(editor, found) }) })
    }
  }
}

function pressInCompletion(state: TuiState, name: string): Outcome | undefined {
  if (!state.completion) return undefined
  switch (name) {
    case "up":
      return only(pointed(state, -1))
    case "down":
      return only(pointed(state, 1))
    case "tab":
      return only(accepted(state))
    case "escape":
      return only({ ...state, completion: undefined })
    case "enter": {
      // A command that is chosen is meant to be run; a file is part of a sentence.
      const done = accepted(state)
      return done.editor.buffer.text.startsWith("/") ? undefined : only(done)
    }
    default:
      return undefined
  }
}

function pressShortcut(state: TuiState, key: Key, { session }: Around): Outcome | undefined {
  const isEmpty = state.editor.buffer.text === ""
  if (key.kind === "text" && key.text === "?" && isEmpty)
    return only({ ...state, help: state.help === "shown" ? "hidden" : "shown" })
  if (key.kind !== "key") return undefined
  switch (key.name) {
    case "enter":
      return enter(state.completion ? accepted(state) : state, session)
    case "escape":
      if (state.help === "shown") return only({ ...state, help: "hidden" })
      return state.view.working ? only(state, { kind: "submit", op: { type: "interrupt" } }) : only(state)
    case "ctrl+d":
      return isEmpty ? only(state, { kind: "leave" }) : undefined
    case "shift+tab":
      return only(state, { kind: "submit", op: { type: "set_mode", mode: nextMode(session.mode) } })
    case "ctrl+o":
      return expandLast(state)
    case "ctrl+t":
      return only({ ...state, todos: state.todos === "shown" ? "hidden" : "shown" })
    case "ctrl+r":
      return only({ ...state, search: { text: "", skip: 0 } })
    default:
      return undefined
  }
}

const cycle: readonly PermissionMode[] = ["default", "acceptEdits", "plan"]
const nextMode = (mode: PermissionMode): PermissionMode => cycle[(cycle.indexOf(mode) + 1) % cycle.length] ?? "default"

function expandLast(state: TuiState): Outcome {
  const last = state.folded.at(-1)
  if (!last) return only({ ...state, hint: "Nothing is folded" })
  return only({ ...state, folded: state.folded.slice(0, -1) }, { kind: "print", items: [last], detail: "full" })
}

function enter(state: TuiState, session: SessionState): Outcome {
  const { editor } = state
  const { buffer } = editor
  if (buffer.text[buffer.at - 1] === "\\") {
    const without = { ...editor, buffer: remove(buffer, buffer.at - 1, buffer.at) }
    return only({ ...state, editor: press(without, { kind: "key", name: "ctrl+j" }) ?? without })
  }
  const text = fullText(editor).trim()
  if (text === "") return only(state)
  const next: TuiState = { ...state, editor: sent(editor), completion: undefined, help: "hidden" }
  const command = runCommandLine(text, session)
  if (command) return only(next, command)
  const when = state.view.working ? "steer" : "queue"
  return only(next, { kind: "submit", op: { type: "prompt", content: [{ type: "text", text }], when } })
}

function pressInEditor(state: TuiState, key: Key): Outcome {
  const editor = press(state.editor, key)
  if (!editor) return only(state)
  return completed({ ...state, editor }, editor.buffer.text !== state.editor.buffer.text)
}
