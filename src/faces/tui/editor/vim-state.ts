/** What the vim keys keep in mind between two keys. */

import type { Key } from "#faces/tui/keys.ts"
import type { Buffer } from "./buffer.ts"
import type { Motion } from "./vim-command.ts"

export interface Vim {
  readonly mode: "normal" | "insert" | VisualMode
  /** Where the selection of visual mode began. */
  readonly anchor: number
  /** The letters of a command that is not whole yet. */
  readonly pending: string
  readonly register: Register
  readonly find: Find | undefined
  /** The last change, for `.`: the command, and what was typed after it. */
  readonly change: RepeatableChange | undefined
  /** While text is inserted: how it began. */
  readonly inserting: Inserting | undefined
}

export type VisualMode = "visual" | "visual line"

export const isVisual = (mode: Vim["mode"]): mode is VisualMode => mode === "visual" || mode === "visual line"

/** A selection does not outlast its text. */
export const withoutSelection = (vim: Vim): Vim => (isVisual(vim.mode) ? { ...vim, mode: "normal", pending: "" } : vim)

export interface Register {
  readonly text: string
  readonly shape: "characters" | "lines"
}

/** The last search for a letter in the line. */
export interface Find {
  readonly kind: "f" | "F" | "t" | "T"
  readonly letter: string
}

/** A search for a letter, to be repeated by `;`. */
export const findIn = ({ name, letter }: Motion): Find | undefined =>
  name === "f" || name === "F" || name === "t" || name === "T" ? { kind: name, letter } : undefined

export interface RepeatableChange {
  readonly command: string
  readonly typed: readonly Key[]
}

export interface Inserting {
  readonly command: string
  readonly typed: readonly Key[]
  /** How the text and what can be undone were before, so that all of it is undone at once. */
  readonly before: Buffer
  readonly undo: readonly Buffer[]
}

/** One begins by writing. */
export const newVim: Vim = {
  mode: "insert",
  anchor: 0,
  pending: "",
  register: { text: "", shape: "characters" },
  find: undefined,
  change: undefined,
  inserting: undefined,
}
