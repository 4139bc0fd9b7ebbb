/** What the vim keys keep in mind between two keys. */

import type { Key } from "#faces/tui/keys.ts"
import type { Buffer } from "./buffer.ts"
import type { Motion } from "./vim-command.ts"

export interface Vim {
  readonly mode: "normal" | "insert" | VisualMode
  readonly anchor: number
  readonly pending: string
  readonly register: Register
  readonly find: Find | undefined
  /** For `.`: the command, and what was typed after it. */
  readonly change: RepeatableChange | undefined
  readonly inserting: Inserting | undefined
}

export type VisualMode = "visual" | "visual line"

export const isVisual = (mode: Vim["mode"]): mode is VisualMode => mode === "visual" || mode === "visual line"

export const withoutSelection = (vim: Vim): Vim => (isVisual(vim.mode) ? { ...vim, mode: "normal", pending: "" } : vim)

export interface Register {
  readonly text: string
  readonly shape: "characters" | "lines"
}

export interface Find {
  readonly kind: "f" | "F" | "t" | "T"
  readonly letter: string
}

export const findIn = ({ name, letter }: Motion): Find | undefined =>
  name === "f" || name === "F" || name === "t" || name === "T" ? { kind: name, letter } : undefined

export interface RepeatableChange {
  readonly command: string
  readonly typed: readonly Key[]
}

export interface Inserting {
  readonly command: string
  readonly typed: readonly Key[]
  /** The state before, so that the whole insertion is one step of undo. */
  readonly before: Buffer
  readonly undo: readonly Buffer[]
}

/** Starts in insert mode. */
export const newVim: Vim = {
  mode: "insert",
  anchor: 0,
  pending: "",
  register: { text: "", shape: "characters" },
  find: undefined,
  change: undefined,
  inserting: undefined,
}
