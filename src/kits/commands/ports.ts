/** What the commands kit needs of a session. */

import type { CommandRow } from "#agent/words/command.ts"
import type { Result } from "#lib/result.ts"
import type { CatalogPorts } from "./catalog.ts"
import type { ExpandPorts } from "./expand.ts"
import type { ServerPrompts } from "./server-prompts.ts"
import type { TurnScope } from "./turn.ts"

/** A command of the program itself: known here by its names, and carried out by whoever knows what it does. */
export interface OwnCommand extends CommandRow {
  readonly aliases?: readonly string[]
}

export interface CommandPorts extends CatalogPorts, ExpandPorts {
  readonly own: readonly OwnCommand[]
  /** Which wins when a file has the name of a command of the program: a script means its own file, a person the program. */
  readonly first: "own" | "files"
  /** Where what a command brings along is kept for its turn. */
  readonly turn: TurnScope
  /** Prompts of servers; none without it. */
  readonly servers?: ServerPrompts
  /** Has an agent of its own carry something out, and gives what it reports; without it the model itself does it. */
  readonly fork?: Fork
  /** The id behind the name of a model. */
  readonly modelOf: (name: string) => string
  /** Whether there is a file or a folder of this name: then the user speaks of it. */
  readonly exists: (path: string) => boolean
  readonly warn: (text: string) => void
}

export type Fork = (
  ask: { readonly name: string; readonly prompt: string; readonly agent: string | undefined; readonly within: string },
  signal: AbortSignal,
) => Promise<Result<string, string>>
