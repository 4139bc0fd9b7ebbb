/** The editor of the prompt: keys in, a new editor out. What it cannot use is for whoever holds it. */

import { type ActionName, defaultKeymap, type Keymap } from "#faces/tui/keymap.ts"
import type { Key } from "#faces/tui/keys.ts"
import { acts } from "./acts.ts"
import { type Buffer, bufferOf, emptyBuffer, insert } from "./buffer.ts"
import { changed, type EditState } from "./change.ts"
import { newest } from "./history.ts"
import { noKills } from "./kills.ts"
import { markedLine, readLine } from "./line.ts"
import { expanded, isLong, pasteName, pictureName, type Stand } from "./placeholders.ts"
import { type Vim, withoutSelection } from "./vim-state.ts"

export interface Editor extends EditState {
  /** Undefined if vim keys are off. */
  readonly vim: Vim | undefined
}

export const emptyEditor: Editor = {
  buffer: emptyBuffer,
  undo: [],
  redo: [],
  kills: noKills,
  typing: false,
  history: newest([]),
  placeholders: {},
  kind: "prompt",
  vim: undefined,
}

/** Undefined if the key means nothing to it. */
export function press(editor: Editor, key: Key, keymap: Keymap = defaultKeymap): Editor | undefined {
  switch (key.kind) {
    case "text":
      return typed(editor, key.text)
    case "paste":
      return pasted(editor, key.text)
    case "key": {
      const found = keymap.find("", key)
      if (found.kind !== "actions") return undefined
      for (const name of found.names) {
        const next = act(editor, name)
        if (next) return next
      }
      return undefined
    }
  }
}

/** Undefined if it is not one of the editor's actions. */
export function act(editor: Editor, name: ActionName): Editor | undefined {
  const next = acts[name]?.(editor)
  return next && { ...editor, ...next }
}

/** With long pastes expanded. */
export const fullText = ({ buffer, placeholders }: Editor): string => expanded(buffer.text, placeholders)

export const lineOf = (editor: Editor): string => markedLine(editor.kind, fullText(editor).trim())

/** The text moves to the history. */
export function sent(editor: Editor): Editor {
  const line = lineOf(editor)
  const { history, kills, vim } = editor
  const entries = line === "" ? history.entries : [...history.entries, line]
  return {
    ...emptyEditor,
    kills: { ...noKills, ring: kills.ring },
    vim: vim && withoutSelection(vim),
    history: newest(entries),
  }
}

export const replaced = (editor: Editor, text: string): Editor => withBuffer(editor, bufferOf(text))

const withBuffer = (editor: Editor, buffer: Buffer): Editor => ({ ...editor, ...changed(editor, buffer) })

export function recalledLine(editor: Editor, line: string): Editor {
  const { kind, text } = readLine(line)
  return { ...replaced(editor, text), kind }
}

export function attached(editor: Editor, stand: Stand): { readonly editor: Editor; readonly name: string } {
  const { placeholders } = editor
  const name = stand.kind === "paste" ? pasteName(placeholders, stand.text) : pictureName(placeholders)
  const next = withBuffer(editor, insert(editor.buffer, name))
  return { name, editor: { ...next, placeholders: { ...placeholders, [name]: stand } } }
}

function typed(editor: Editor, text: string): Editor {
  const next = withBuffer(editor, insert(editor.buffer, text))
  const sameWord = editor.typing && !/^\s/.test(text)
  return { ...next, typing: true, ...(sameWord && { undo: editor.undo }) }
}

function pasted(editor: Editor, text: string): Editor {
  if (isLong(text)) return attached(editor, { kind: "paste", text }).editor
  return withBuffer(editor, insert(editor.buffer, text))
}
