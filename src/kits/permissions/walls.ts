/** What confines commands here, as far as decisions depend on it. */

import type { CommandPattern } from "./command-pattern.ts"

export interface Walls {
  /** Whether what runs unasked only because it reads is confined to reading. */
  readonly reader: boolean
  /** The sandbox for all other commands: `auto` lets them run unasked, `broken` means that it is on and does not work. */
  readonly workspace: "off" | "on" | "auto" | "broken"
  /** Why it is broken and what to do about it, as sentences. */
  readonly why?: string
  /** Commands that run outside: `sandbox.excludedCommands`. */
  readonly excluded: readonly CommandPattern[]
  /** Whether a command may ask to run outside: `sandbox.allowUnsandboxedCommands`. */
  readonly mayLeave: boolean
}

/** The walls as they were found last, and the way to look again. */
export interface WallsPort {
  readonly now: () => Walls
  /** Looks whether what should hold does; undefined when there is nothing to wait for. */
  readonly load: () => Promise<void> | undefined
}

/** Nothing is confined. */
export const noWalls: Walls = { reader: false, workspace: "off", excluded: [], mayLeave: true }

/** What reads is confined to that, and nothing else is confined. */
export const readersConfined: Walls = { ...noWalls, reader: true }
