/** Completion of what stands before the cursor: commands after a slash, files after an `@`. */

import { commands } from "./commands.ts"
import { insert, remove } from "./editor/buffer.ts"
import type { Effect } from "./effect.ts"
import type { TuiState } from "./state.ts"

/** Looks for what could be completed after the text has changed. */
export function completed(
  state: TuiState,
  changed: boolean,
): { readonly state: TuiState; readonly effects: readonly Effect[] } {
  const { text, at } = state.editor.buffer
  if (!changed) return { state, effects: [] }
  const before = text.slice(0, at)
  if (/^\/[a-z-]*$/.test(before)) {
    const options = commands
      .filter(({ name }) => `/${name}`.startsWith(before))
      .map(({ name, about }) => ({ text: `/${name}`, about }))
    return {
      state: { ...state, completion: options.length === 0 ? undefined : { from: 0, options, at: 0 } },
      effects: [],
    }
  }
  const mention = /(?:^|\s)@(\S*)$/.exec(before)
  if (!mention) return { state: { ...state, completion: undefined }, effects: [] }
  const words = mention[1] ?? ""
  return { state: { ...state, completion: undefined }, effects: [{ kind: "find", words, from: at - words.length - 1 }] }
}

/** Names of files that came for what stands behind an `@`, if it still stands there. */
export function found(state: TuiState, words: string, from: number, paths: readonly string[]): TuiState {
  const { text, at } = state.editor.buffer
  if (text.slice(from, at) !== `@${words}` || paths.length === 0) return state
  return { ...state, completion: { from, options: paths.map((path) => ({ text: `@${path}`, about: "" })), at: 0 } }
}

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
