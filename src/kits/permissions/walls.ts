/** What confines commands here, as far as decisions depend on it. */

import type { CommandPattern } from "./rules/command-pattern.ts"

export interface Walls {
  /** Whether read-only commands that run without asking are confined to reading. */
  readonly reader: boolean
  /** The sandbox for all other commands: `auto` lets them run without asking, `broken` means that it is on but does not work. */
  readonly workspace: "off" | "on" | "auto" | "broken"
  readonly why?: string
  /** /tmp and /var/tmp are folders of its own there. */
  readonly hasOwnTemp?: true
  /** Commands that run outside: `sandbox.excludedCommands`. */
  readonly excluded: readonly CommandPattern[]
  /** Whether a command may ask to run outside: `sandbox.allowUnsandboxedCommands`. */
  readonly mayLeave: boolean
}

/** The walls as last checked, and how to check again. */
export interface WallsPort {
  readonly now: () => Walls
  /** Whether they have been checked, or can be at once; until then nothing counts as confined. */
  readonly isLoaded: () => boolean
  /** Checks whether they work; undefined if there is nothing to wait for. */
  readonly load: () => Promise<void> | undefined
}

export const noWalls: Walls = { reader: false, workspace: "off", excluded: [], mayLeave: true }

export const readersConfined: Walls = { ...noWalls, reader: true }
