/** A command of the program itself, as data: every face lists it, and each draws what it shows in its own way. */

import type { CommandRow } from "#agent/words/command.ts"
import type { Op } from "#agent/words/op.ts"
import type { ProgramCommand, SlashAnswer } from "#session/opening/program.ts"

export interface SlashCommand extends CommandRow {
  /** Other names that people bring with them. */
  readonly aliases?: readonly string[]
  /** Where lists of all commands show it; with those of the conversation when absent. */
  readonly group?: CommandGroup
  /** Only while no turn runs; at any time when absent. */
  readonly when?: "at rest"
  readonly run: (rest: string) => SlashAct
}

/** In the order of lists. */
export const commandGroups = ["session", "context", "model", "permissions", "extensions", "setup"] as const
export type CommandGroup = (typeof commandGroups)[number]

/** What a command asks for. */
export type SlashAct =
  | { readonly kind: "ops"; readonly ops: readonly Op[] }
  /** Something to see. A face with a panel for it opens that; the session has it as text for all others. */
  | { readonly kind: "show"; readonly what: Shown; readonly words: string }
  | { readonly kind: "wrong"; readonly text: string }

/** What there is to see of a session. */
export type Shown =
  | "help"
  | "context"
  | "cost"
  | "models"
  | "modes"
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
  | "skills"
  | "todos"
  | "styles"
  | "fork"
  | ProgramCommand

/** What a command of the program comes to; nothing for what is not one. */
export type Slash = (name: string, rest: string) => Promise<SlashAnswer | undefined>
