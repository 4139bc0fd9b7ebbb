/** Completion of what stands before the cursor: commands after a slash, files after an `@`. */

import { commandsOf } from "./commands.ts"
import { insert, remove } from "./editor/buffer.ts"
import { type Around, only, type Outcome } from "./outcome.ts"
import type { TuiState } from "./state.ts"

/** Looks for what could be completed after the text has changed. */
export function completed(state: TuiState, around: Around): Outcome {
  const { buffer, kind } = state.editor
  const none = { ...state, completion: undefined }
  const before = buffer.text.slice(0, buffer.at)
  if (kind === "prompt" && /^\/[\w:-]*$/.test(before)) {
    const options = commandsOf(around)
      .filter(({ name }) => `/${name}`.startsWith(before))
      // What was typed whole comes first: enter means it.
      .toSorted((a, b) => Number(`/${b.name}` === before) - Number(`/${a.name}` === before))
      .map(({ name, about }) => ({ text: `/${name}`, about }))
    return only(options.length === 0 ? none : { ...state, completion: { from: 0, options, at: 0 } })
  }
  const words = /(?:^|\s)@(\S*)$/.exec(before)?.[1]
  if (words === undefined) return only(none)
  return only(none, { kind: "find", words, from: buffer.at - words.length - 1 })
}

/** Commands may become known after one was begun to be typed. */
export function completedAgain(state: TuiState, around: Around): TuiState {
  if (!state.editor.buffer.text.startsWith("/")) return state
  const chosen = state.completion?.options[state.completion.at]?.text
  const { completion } = completed(state, around).state
  const at = completion?.options.findIndex(({ text }) => text === chosen) ?? 0
  return { ...state, completion: completion && { ...completion, at: Math.max(0, at) } }
}

/** Names of files that came for what stands behind an `@`, if it still stands there. */
export function found(state: TuiState, words: string, from: number, paths: readonly string[]): TuiState {
  const { text, at } = state.editor.buffer
  if (text.slice(from, at) !== `@${words}` || paths.length === 0) return state
  return { ...state, completion: { from, options: paths.map((path) => ({ text: mention(path), about: "" })), at: 0 } }
}

/** With quotes where the path would otherwise end too soon. */
const mention = (path: string): string => (/[\s"'`]/.test(path) ? `@"${path}"` : `@${path}`)

export function pointed(state: TuiState, by: number): TuiState {
  const { completion } = state
  if (!completion) return state
  const count = completion.options.length
  return { ...state, completion: { ...completion, at: (completion.at + by + count) % count } }
}

/** Puts the option that is pointed at in its place. */
export function accepted(state: TuiState): TuiState {
  const { completion, editor } = state
  const option = completion?.options[completion.at]
  if (!completion || !option) return state
  const cleared = remove(editor.buffer, completion.from, editor.buffer.at)
  return { ...state, completion: undefined, editor: { ...editor, buffer: insert(cleared, `${option.text} `) } }
}
