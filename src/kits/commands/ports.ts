/** What the commands kit needs from a session. */

import type { CommandDefinition, CommandRow } from "#agent/words/command.ts"
import type { Result } from "#lib/result.ts"
import type { CatalogPorts } from "./catalog.ts"
import type { ExpandPorts } from "./expand.ts"
import type { ServerPrompts } from "./server-prompts.ts"
import type { Lent, TurnScope } from "./turn.ts"

/** A built-in command: known here only by name, and carried out elsewhere. */
export type OwnCommand = CommandRow

export interface CommandPorts extends CatalogPorts, ExpandPorts {
  readonly own: readonly OwnCommand[]
  /** Which wins when a file has the name of a built-in command: for a script its own file, for a person the built-in one. */
  readonly first: "own" | "files"
  readonly turn: TurnScope
  readonly servers?: ServerPrompts
  /** Runs it in an agent of its own and returns the report; when absent, the model itself does it. */
  readonly fork?: Fork
  /** Why the hooks of a command cannot be followed, if so: then it is not used. */
  readonly wrongHooks?: (definition: CommandDefinition) => Promise<string | undefined>
  readonly modelOf: (name: string) => string
  /** Whether a file or folder of this name exists: then the user means that. */
  readonly exists: (path: string) => boolean
  readonly warn: (text: string) => void
}

export type Fork = (
  ask: {
    readonly name: string
    readonly prompt: string
    readonly agent: string | undefined
    readonly within: string
    /** What the agent may use without a question, and the hooks around it. */
    readonly lends: Lent
  },
  signal: AbortSignal,
) => Promise<Result<string, string>>
