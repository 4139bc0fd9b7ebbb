/** What the vim keys keep in mind between two keys. */

import type { Key } from "#faces/tui/keys.ts"
import type { Buffer } from "./buffer.ts"

export interface Vim {
  readonly mode: "normal" | "insert"
  /** The letters of a command that is not whole yet. */
  readonly pending: string
  readonly register: Register
  readonly find: Find | undefined
  /** The last change, for `.`: the command, and what was typed after it. */
  readonly change: Change | undefined
  /** While text is inserted: how it began. */
  readonly inserting: Inserting | undefined
}

export interface Register {
  readonly text: string
  readonly shape: "characters" | "lines"
}

/** The last search for a letter in the line. */
export interface Find {
  readonly kind: "f" | "F" | "t" | "T"
  readonly letter: string
}

export interface Change {
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
  pending: "",
  register: { text: "", shape: "characters" },
  find: undefined,
  change: undefined,
  inserting: undefined,
}
