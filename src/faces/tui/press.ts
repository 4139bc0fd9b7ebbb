/** What each key does: a new state, and what is asked of the world. Pure. */

import { accepted, completed, pointed } from "./complete.ts"
import { type Dialog, pressDialog, typedOver } from "./dialogs/dialog.ts"
import { scrolledBy } from "./dialogs/layout.ts"
import { awaitingPicture } from "./draft.ts"
import { nextExample } from "./examples.ts"
import { act, type Editor, press, recalledLine } from "./editor/editor.ts"
import { searchAll } from "./editor/history.ts"
import type { LineKind } from "./editor/line.ts"
import { followed, isNormal, pressVim } from "./editor/vim.ts"
import type { Effect } from "./effect.ts"
import { keyLabel } from "./key-names.ts"
import type { ActionName, KeyMatch } from "./keymap.ts"
import type { Key } from "./keys.ts"
import { type TuiContext, only, type TuiOutcome } from "./outcome.ts"
import { picturePaths } from "./picture-paths.ts"
import { shortcuts, canWithdraw } from "./shortcuts.ts"
import type { TuiState } from "./state.ts"
import { taughtActions, withUse } from "./uses.ts"
import { isBusy } from "#faces/view/view.ts"

/** Sooner than this after a dialog appears, or after typing for the prompt, a key is not for the dialog. */
const tooSoonMs = 300

export function pressKey(state: TuiState, key: Key, around: TuiContext): TuiOutcome {
  const { hint } = state
  const calm = hint === undefined ? state : { ...state, hint: undefined }
  const found = calm.keymap.find(calm.held, key)
  const names = found.kind === "actions" ? found.names : []
  const always = alwaysThere(names.length > 0 ? found : calm.keymap.find("", key))
  if (always) return perform({ ...calm, held: "" }, [always], key, around, hint) ?? only(calm)
  if (calm.dialog) return pressInDialog({ ...calm, held: "" }, key, around)
  if (calm.search) return pressInSearch({ ...calm, held: "" }, key)
  const inCompletion = pressInCompletion(calm, key, around)
  if (inCompletion) return inCompletion
  const suggested = key.kind === "key" && key.name === "tab" ? suggestedLine(calm, around) : undefined
  if (suggested) return only(suggested)
  const byVim =
    calm.held === "" && !(names.includes("up") && canWithdraw(calm)) ? pressVim(calm.editor, key) : undefined
  if (byVim) return afterEdit(beginsEx(calm, key) ? { ...calm, hint: exHint } : calm, byVim, around)
  if (found.kind === "continues") return only({ ...calm, held: found.held, hint: `${keyLabel(found.held)} …` })
  if (calm.held !== "" && names.length === 0)
    return only({ ...calm, held: "", hint: `${keyLabel(calm.held)} does nothing` })
  return perform({ ...calm, held: "" }, names, key, around, hint) ?? pressInEditor(calm, key, around)
}

/** With the suggestion in the prompt, to be changed or sent. */
function suggestedLine(state: TuiState, { session }: TuiContext): TuiState | undefined {
  const example = nextExample(state, session)
  if (example !== undefined) return { ...state, editor: recalledLine(state.editor, example) }
  const { suggestion } = state.view
  const { buffer, kind } = state.editor
  if (suggestion === undefined || isBusy(state.view) || buffer.text !== "" || kind !== "prompt") return undefined
  return { ...state, editor: recalledLine(state.editor, suggestion) }
}

const exHint = "No : commands here; /exit to quit, Enter to send"

const beginsEx = ({ editor }: TuiState, key: Key): boolean =>
  isNormal(editor) && editor.vim?.pending === "" && key.kind === "text" && key.text.startsWith(":")

/** These work whatever else is open or half pressed. */
const alwaysThere = (found: KeyMatch): ActionName | undefined =>
  found.kind === "actions" ? found.names.find((name) => name === "cancel" || name === "suspend") : undefined

/** The first action that applies. */
function perform(
  state: TuiState,
  names: readonly ActionName[],
  key: Key,
  around: TuiContext,
  hint: string | undefined,
): TuiOutcome | undefined {
  for (const name of names) {
    const done = shortcuts[name]?.(state, around, hint)
    if (done) return taughtActions.has(name) ? withUse(done, name) : done
    const editor = act(state.editor, name)
    if (editor) return afterEdit(state, followed(editor, key, state.editor), around)
  }
  return undefined
}

function pressInDialog(state: TuiState, key: Key, around: TuiContext): TuiOutcome {
  const { dialog } = state
  if (!dialog) return only(state)
  // Whoever is still typing something else has not read it yet.
  if (around.now - dialog.quietSince < tooSoonMs) return typedMeanwhile(state, dialog, key, around)
  const name = key.kind === "key" ? key.name : ""
  if (name === "pagedown" || name === "pageup") {
    const beside = { waiting: state.view.questions.length - 1, draft: state.editor.buffer.text }
    return only({ ...state, dialog: scrolledBy(dialog, around, beside, name === "pagedown" ? 1 : -1) })
  }
  const pressed = pressDialog(dialog.state, key)
  switch (pressed.kind) {
    case "stays open":
      return only({ ...state, dialog: { ...dialog, state: pressed.state } })
    case "unused":
      if (key.kind !== "key") return typedMeanwhile(state, dialog, key, around)
      return (isLeave(state, key) && shortcuts.leave?.(state, around, undefined)) || only(state)
    case "edits":
      return only(state, { kind: "edit_plan", questionId: dialog.questionId, text: pressed.text })
    case "answered": {
      const { questionId, digest } = dialog
      const op = { type: "answer", questionId, answer: pressed.answer, digest } as const
      const done = only({ ...state, dialog: undefined }, { kind: "submit", op })
      return name === "shift+tab" ? withUse(done, "next-mode") : done
    }
  }
}

function isLeave({ keymap }: TuiState, key: Key): boolean {
  const found = keymap.find("", key)
  return found.kind === "actions" && found.names.includes("leave")
}

/** Keys that are no answer go into the prompt: nothing is lost, and nothing is answered by accident. */
function typedMeanwhile(state: TuiState, dialog: Dialog, key: Key, around: TuiContext): TuiOutcome {
  const { now } = around
  const isDeleting = key.kind === "key" && key.name === "backspace"
  if (key.kind === "key" && !isDeleting) return only({ ...state, dialog: { ...dialog, quietSince: now } })
  const draft = { ...state, dialog: typedOver(dialog, now) }
  const byVim = pressVim(draft.editor, key)
  if (byVim) return only({ ...draft, editor: byVim })
  if (isDeleting) return only({ ...draft, editor: press(draft.editor, key) ?? draft.editor })
  return pressInEditor(draft, key, around)
}

function pressInSearch(state: TuiState, key: Key): TuiOutcome {
  const { search: searching, editor } = state
  if (!searching) return only(state)
  if (key.kind !== "key") return only({ ...state, search: { text: searching.text + key.text, at: 0 } })
  const found = searchAll(editor.history, searching.text)
  const pointAt = (at: number): TuiOutcome =>
    only({ ...state, search: { ...searching, at: Math.max(0, Math.min(at, found.length - 1)) } })
  switch (key.name) {
    case "ctrl+r":
    case "down":
    case "ctrl+n":
      return pointAt(searching.at + 1)
    case "ctrl+s":
    case "up":
    case "ctrl+p":
      return pointAt(searching.at - 1)
    case "backspace":
      return only({ ...state, search: { text: [...searching.text].slice(0, -1).join(""), at: 0 } })
    case "escape":
    case "ctrl+g":
      return only({ ...state, search: undefined })
    default: {
      const line = found[searching.at]
      return only({ ...state, search: undefined, ...(line !== undefined && { editor: recalledLine(editor, line) }) })
    }
  }
}

function pressInCompletion(state: TuiState, key: Key, around: TuiContext): TuiOutcome | undefined {
  if (!state.completion || state.completion.options.length === 0 || key.kind !== "key") return undefined
  switch (key.name) {
    case "up":
    case "ctrl+p":
      return only(pointed(state, -1))
    case "down":
    case "ctrl+n":
      return only(pointed(state, 1))
    case "tab":
      return accepted(state, around)
    case "escape":
      return only({ ...state, completion: undefined })
    case "enter": {
      if (state.completion.at < 0) return undefined
      // A command that is chosen is meant to be run; a file is part of a sentence.
      const done = accepted(state, around)
      if (!done.state.editor.buffer.text.startsWith("/")) return done
      return shortcuts.send?.(done.state, around, undefined)
    }
    default:
      return undefined
  }
}

function pressInEditor(state: TuiState, key: Key, around: TuiContext): TuiOutcome {
  const { editor, spacedAt } = state
  if (key.kind === "key") return only(state)
  if (key.kind === "text" && key.text.startsWith(" ") && spacedAt === editor.buffer.at) {
    const rest = { ...key, text: key.text.slice(1) }
    const calm = { ...state, spacedAt: undefined }
    return rest.text === "" ? only(calm) : pressInEditor(calm, rest, around)
  }
  // In normal mode letters are commands, also those that mean nothing.
  if (key.kind === "text" && isNormal(editor)) return only(state)
  const paths = key.kind === "paste" && around.offers.has("pictures") ? picturePaths(key.text) : undefined
  if (paths) return dropped(state, paths)
  const kind = key.kind === "text" ? kindBegun(editor, key.text, around) : undefined
  const rest: Key = kind && key.kind === "text" ? { kind: "text", text: key.text.slice(1) } : key
  const begun = kind ? { ...editor, kind } : editor
  const next = rest.kind === "text" && rest.text === "" ? begun : (press(begun, rest) ?? begun)
  return afterEdit(state, followed(next, rest, editor), around)
}

/** A mark at the very beginning sets the kind of the line. */
function kindBegun({ buffer, kind }: Editor, text: string, { offers }: TuiContext): LineKind | undefined {
  if (kind !== "prompt" || buffer.text !== "") return undefined
  if (text.startsWith("!")) return "shell"
  return text.startsWith("#") && offers.has("memory") ? "memory" : undefined
}

/** Each dropped file becomes a picture, or its path as text. */
function dropped(state: TuiState, paths: readonly string[]): TuiOutcome {
  return paths.reduce<TuiOutcome>(({ state: now, effects }, path) => {
    const next = awaitingPicture(now, (name): Effect => ({ kind: "picture", name, path }))
    return only(next.state, ...effects, ...next.effects)
  }, only(state))
}

function afterEdit(state: TuiState, editor: Editor, around: TuiContext): TuiOutcome {
  const next = { ...state, editor, spacedAt: undefined }
  return editor.buffer.text === state.editor.buffer.text ? only(next) : completed(next, around)
}
