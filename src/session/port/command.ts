/** A built-in command, as data: every face lists it, and each draws what it shows in its own way. */

import type { CommandRow } from "#agent/words/command.ts"
import type { Op } from "#agent/words/op.ts"
import type { ProgramCommand, SlashAnswer } from "#session/opening/program.ts"

export interface SlashCommand extends CommandRow {
  /** Where lists of all commands show it; with those of the conversation when absent. */
  readonly group?: CommandGroup
  /** Only while no turn runs; at any time when absent. */
  readonly when?: "at rest"
  readonly run: (rest: string) => SlashAct
}

/** In the order of lists. */
export const commandGroups = ["session", "context", "model", "permissions", "extensions", "setup"] as const
export type CommandGroup = (typeof commandGroups)[number]

export type SlashAct =
  | { readonly kind: "ops"; readonly ops: readonly Op[] }
  /** A face opens its panel for this; the session has it as text for all others. */
  | { readonly kind: "show"; readonly what: ShownView; readonly words: string }
  | { readonly kind: "wrong"; readonly text: string }

export type ShownView =
  | "help"
  | "context"
  | "cost"
  | "models"
  | "modes"
  | "gates"
  | "goal"
  | "loop"
  | "effort"
  | "budget"
  | "btw"
  | "plan"
  | "permissions"
  | "sessions"
  | "rewind"
  | "branches"
  | "diff"
  | "inspect"
  | "memory"
  | "mcp"
  | "hooks"
  | "sandbox"
  | "agents"
  | "tasks"
  | "team"
  | "skills"
  | "todos"
  | "styles"
  | "fork"
  | ProgramCommand

export type Slash = (name: string, rest: string) => Promise<SlashAnswer | undefined>
