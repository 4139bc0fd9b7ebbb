/** The editor of the prompt: keys in, a new editor out. What it cannot use is for whoever holds it. */

import type { Key } from "#faces/tui/keys.ts"
import {
  blankLeft,
  type Buffer,
  bufferOf,
  emptyBuffer,
  insert,
  leftOf,
  lineEnd,
  lineStart,
  remove,
  rightOf,
  vertical,
  wordLeft,
  wordRight,
} from "./buffer.ts"
import { newest, type History, older, newer } from "./history.ts"

export interface Editor {
  readonly buffer: Buffer
  readonly undo: readonly Buffer[]
  readonly redo: readonly Buffer[]
  /** What was cut last, for Ctrl+Y. */
  readonly killed: string
  /** Whether the last key cut, so that the next cut adds to it. */
  readonly cutting: boolean
  /** Whether the last key was a letter: a word is undone as one. */
  readonly typing: boolean
  readonly history: History
  /** Long pastes, by the placeholder that stands for them. */
  readonly pastes: { readonly [placeholder: string]: string }
}

export const emptyEditor: Editor = {
  buffer: emptyBuffer,
  undo: [],
  redo: [],
  killed: "",
  cutting: false,
  typing: false,
  history: newest([]),
  pastes: {},
}

const mostUndo = 200
const longPaste = { characters: 800, lines: 10 } as const

/** The editor after a key; nothing when the key means nothing to it. */
export function press(editor: Editor, key: Key): Editor | undefined {
  switch (key.kind) {
    case "text":
      return typed(editor, key.text)
    case "paste":
      return pasted(editor, key.text)
    case "key":
      return (moves[key.name] ?? edits[key.name])?.(editor)
  }
}

/** The whole text, with long pastes in their places. */
export function fullText({ buffer, pastes }: Editor): string {
  return Object.entries(pastes).reduce((text, [name, paste]) => text.replace(name, () => paste), buffer.text)
}

/** An empty editor that remembers what was sent. */
export function sent(editor: Editor): Editor {
  return { ...emptyEditor, killed: editor.killed, history: newest([...editor.history.entries, fullText(editor)]) }
}

/** Another text, which undo takes back. */
export const replaced = (editor: Editor, text: string): Editor => edited(editor, bufferOf(text))

function edited(editor: Editor, buffer: Buffer): Editor {
  return {
    ...editor,
    buffer,
    undo: [...editor.undo.slice(1 - mostUndo), editor.buffer],
    redo: [],
    cutting: false,
    typing: false,
    history: newest(editor.history.entries),
  }
}

function typed(editor: Editor, text: string): Editor {
  const next = edited(editor, insert(editor.buffer, text))
  const sameWord = editor.typing && !/^\s/.test(text)
  return { ...next, typing: true, ...(sameWord && { undo: editor.undo }) }
}

function pasted(editor: Editor, text: string): Editor {
  const lines = text.split("\n").length
  if (text.length < longPaste.characters && lines < longPaste.lines) return edited(editor, insert(editor.buffer, text))
  const number = Object.keys(editor.pastes).length + 1
  const name = `[pasted text ${number}: ${lines} ${lines === 1 ? "line" : "lines"}]`
  return { ...edited(editor, insert(editor.buffer, name)), pastes: { ...editor.pastes, [name]: text } }
}

type Act = (editor: Editor) => Editor | undefined

const go =
  (where: (buffer: Buffer) => number): Act =>
  (editor) => ({ ...editor, buffer: { ...editor.buffer, at: where(editor.buffer) }, cutting: false, typing: false })

/** Cuts from the cursor to a place; cuts in a row are one text to bring back. */
const cut =
  (where: (buffer: Buffer) => number): Act =>
  (editor) => {
    const { buffer } = editor
    const to = where(buffer)
    const [from, until] = to < buffer.at ? [to, buffer.at] : [buffer.at, to]
    const text = buffer.text.slice(from, until)
    const before = editor.cutting ? editor.killed : ""
    const killed = to < buffer.at ? text + before : before + text
    return {
      ...edited(editor, remove(buffer, from, until)),
      killed: killed === "" ? editor.killed : killed,
      cutting: true,
    }
  }

const take =
  (where: (buffer: Buffer) => number): Act =>
  (editor) => {
    const to = where(editor.buffer)
    return edited(editor, remove(editor.buffer, Math.min(to, editor.buffer.at), Math.max(to, editor.buffer.at)))
  }

const upOrOlder: Act = (editor) => {
  const at = vertical(editor.buffer, "up")
  if (at !== undefined) return { ...editor, buffer: { ...editor.buffer, at }, typing: false }
  return recalled(editor, older(editor.history, editor.buffer.text))
}

const downOrNewer: Act = (editor) => {
  const at = vertical(editor.buffer, "down")
  if (at !== undefined) return { ...editor, buffer: { ...editor.buffer, at }, typing: false }
  return recalled(editor, newer(editor.history))
}

function recalled(editor: Editor, found: { readonly history: History; readonly text: string } | undefined): Editor {
  return found
    ? { ...editor, buffer: bufferOf(found.text), history: found.history, cutting: false, typing: false }
    : editor
}

const lineStartOrGap = (buffer: Buffer): number => {
  const start = lineStart(buffer)
  return start === buffer.at && start > 0 ? start - 1 : start
}
const lineEndOrGap = (buffer: Buffer): number => {
  const end = lineEnd(buffer)
  return end === buffer.at && end < buffer.text.length ? end + 1 : end
}

const moves: { readonly [key: string]: Act } = {
  left: go(leftOf),
  right: go(rightOf),
  "ctrl+b": go(leftOf),
  "ctrl+f": go(rightOf),
  "ctrl+left": go(wordLeft),
  "ctrl+right": go(wordRight),
  "alt+left": go(wordLeft),
  "alt+right": go(wordRight),
  "alt+b": go(wordLeft),
  "alt+f": go(wordRight),
  home: go(lineStart),
  end: go(lineEnd),
  "ctrl+a": go(lineStart),
  "ctrl+e": go(lineEnd),
  "ctrl+home": go(() => 0),
  "ctrl+end": go(({ text }) => text.length),
  up: upOrOlder,
  down: downOrNewer,
  "ctrl+p": upOrOlder,
  "ctrl+n": downOrNewer,
}

const edits: { readonly [key: string]: Act } = {
  backspace: take(leftOf),
  "shift+backspace": take(leftOf),
  delete: take(rightOf),
  "ctrl+d": take(rightOf),
  "ctrl+h": take(leftOf),
  "ctrl+backspace": cut(wordLeft),
  "alt+backspace": cut(wordLeft),
  "alt+d": cut(wordRight),
  "ctrl+w": cut(blankLeft),
  "ctrl+u": cut(lineStartOrGap),
  "ctrl+k": cut(lineEndOrGap),
  "ctrl+y": (editor) => edited(editor, insert(editor.buffer, editor.killed)),
  "ctrl+j": (editor) => edited(editor, insert(editor.buffer, "\n")),
  "shift+enter": (editor) => edited(editor, insert(editor.buffer, "\n")),
  "alt+enter": (editor) => edited(editor, insert(editor.buffer, "\n")),
  "ctrl+_": back,
  "alt+_": forth,
  "ctrl+shift+z": forth,
}

function back(editor: Editor): Editor {
  const before = editor.undo.at(-1)
  if (!before) return editor
  return {
    ...editor,
    buffer: before,
    undo: editor.undo.slice(0, -1),
    redo: [...editor.redo, editor.buffer],
    cutting: false,
    typing: false,
  }
}

function forth(editor: Editor): Editor {
  const next = editor.redo.at(-1)
  if (!next) return editor
  return {
    ...editor,
    buffer: next,
    redo: editor.redo.slice(0, -1),
    undo: [...editor.undo, editor.buffer],
    cutting: false,
    typing: false,
  }
}
