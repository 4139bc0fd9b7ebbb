/** A text with its past, as a value, and the two ways in which it changes: the text, or only the place of the cursor. */

import { type Buffer, onEdge } from "./buffer.ts"
import { type History, newest } from "./history.ts"
import { type Kills, settled } from "./kills.ts"
import type { LineKind } from "./line.ts"
import type { Placeholders } from "./placeholders.ts"

export interface EditState {
  readonly buffer: Buffer
  readonly undo: readonly Buffer[]
  readonly redo: readonly Buffer[]
  readonly kills: Kills
  /** Set after a typed letter: a word is undone as one step. */
  readonly typing: boolean
  readonly history: History
  readonly placeholders: Placeholders
  readonly kind: LineKind
}

const mostUndo = 200

export function changed(written: EditState, buffer: Buffer): EditState {
  const { history } = written
  return {
    ...written,
    buffer: { text: buffer.text, at: onEdge(buffer.text, buffer.at) },
    undo: [...written.undo.slice(1 - mostUndo), written.buffer],
    redo: [],
    kills: settled(written.kills),
    typing: false,
    history: history.back === 0 ? history : newest(history.entries),
  }
}

export function moved(written: EditState, at: number): EditState {
  const { text } = written.buffer
  return { ...written, buffer: { text, at: onEdge(text, at) }, kills: settled(written.kills), typing: false }
}

export function undone(written: EditState): EditState {
  const before = written.undo.at(-1)
  if (!before) return written
  const { undo, redo, buffer } = written
  return { ...moved(written, 0), buffer: before, undo: undo.slice(0, -1), redo: [...redo, buffer] }
}

export function redone(written: EditState): EditState {
  const next = written.redo.at(-1)
  if (!next) return written
  const { undo, redo, buffer } = written
  return { ...moved(written, 0), buffer: next, redo: redo.slice(0, -1), undo: [...undo, buffer] }
}
