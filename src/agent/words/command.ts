/** What a person can say with a slash, and what a model can load when it needs it: a text with some words about it. */

import type { Effort } from "./thinking.ts"

/** Where a command comes from. What a project brings counts for more only where the folder is trusted. */
export type CommandSource = "built-in" | "user" | "project" | "server"

/** What the head of a file says about the text below it. */
export interface CommandDefinition {
  readonly name: string
  /** A skill has a folder of its own, with files that its text may name. */
  readonly kind: "command" | "skill"
  readonly source: CommandSource
  readonly description: string
  /** More about when it is wanted, for the model. */
  readonly whenToUse?: string
  /** What may follow the name, for people. */
  readonly takes: string
  /** Names by which the text calls the words that follow, in their order. */
  readonly argumentNames: readonly string[]
  /** Rules, as written, that hold for the turn in which it is used. */
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  /** What answers in that turn. */
  readonly model?: string
  /** How much effort its answers take. */
  readonly effort?: Effort
  /** Whether the model may load it by itself, and whether a person may call it. */
  readonly isForModel: boolean
  readonly isForPerson: boolean
  /** It is carried out by an agent of its own. */
  readonly fork?: { readonly agent?: string }
  /** Globs of the files it is about; it is named only once such a file was touched. */
  readonly paths?: readonly string[]
  readonly body: string
  readonly path?: string
  readonly folder?: string
  /** What its head says that is not followed, a sentence each. */
  readonly problems: readonly string[]
}

/** A command as lists show it. */
export interface CommandRow {
  readonly name: string
  readonly about: string
  /** What may follow the name. */
  readonly takes: string
}

/** How a prompt came from a command: what was typed, and what it brought along for its turn. */
export interface CommandUse {
  readonly typed: string
  /** The prompt without the output of what was run for it, which is data. Absent where it has none, and in older logs. */
  readonly meant?: string
  /** Where the command comes from. Absent in older logs. */
  readonly source?: CommandSource
  readonly allowedTools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  readonly model?: string
  readonly effort?: Effort
}
