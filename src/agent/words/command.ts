/** Slash commands and skills: text with metadata. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import type { Effort } from "./thinking.ts"

/** The name of a command as it may be typed, for use in a pattern with the flag `u`: words of any language, and what joins them. */
export const commandNameShape: string = String.raw`[\p{L}\p{N}\p{So}_][\p{L}\p{N}\p{M}\p{So}\u200d_:.+-]*`

/** Project commands only take precedence in a trusted folder. */
export type CommandSource = "built-in" | "user" | "project" | "server" | "plugin"

export interface CommandDefinition {
  readonly name: string
  /** A skill has its own folder, with files its text may refer to. */
  readonly kind: "command" | "skill"
  readonly source: CommandSource
  readonly description: string
  /** More about when to use it, for the model. */
  readonly whenToUse?: string
  /** Shown after the name as a hint. */
  readonly takes: string
  /** Names the text uses for its arguments, in order. */
  readonly argumentNames: readonly string[]
  /** Rules, as written, that apply to the turn in which it is used. */
  readonly allowedTools: readonly string[]
  readonly disallowedTools: readonly string[]
  readonly model?: string
  readonly effort?: Effort
  /** Whether the model may load it by itself, and whether users may call it. */
  readonly isForModel: boolean
  readonly isForPerson: boolean
  readonly fork?: { readonly agent?: string }
  /** Hooks as in settings, for the turn in which it is used. */
  readonly hooks?: JsonObject
  /** Globs; it is announced only once a matching file was touched. */
  readonly paths?: readonly string[]
  readonly body: string
  readonly path?: string
  readonly folder?: string
  /** The folder of the plugin it comes with. */
  readonly plugin?: string
  /** Where that plugin may keep something. */
  readonly pluginData?: string
  /** Front matter that is ignored, one sentence each. */
  readonly problems: readonly string[]
}

export interface CommandRow {
  readonly name: string
  readonly about: string
  readonly takes: string
  /** Set for commands of the program itself. */
  readonly builtin?: true
  /** Other names for it. */
  readonly aliases?: readonly string[]
}

/** How a prompt came from a command: what was typed, and what it brings along for its turn. */
export interface CommandUse {
  readonly typed: string
  /**
   * The prompt without the output of what was run for it, which is data. Absent where it has none, and in older
   * logs.
   */
  readonly meant?: string
  /** Absent in older logs. */
  readonly source?: CommandSource
  readonly allowedTools?: readonly string[]
  readonly disallowedTools?: readonly string[]
  readonly model?: string
  readonly effort?: Effort
  /** Also in the log, because they may guard what the turn does after a restart. */
  readonly hooks?: readonly TurnHooks[]
}

/** Hooks of a command or skill, which run while its turn lasts. */
export interface TurnHooks {
  /** As shown: `skill deploy`. */
  readonly source: string
  readonly file: string
  readonly isProject: boolean
  readonly hooks: JsonObject
  /** For the environment of its programs: where its own files are. */
  readonly variables?: { readonly [name: string]: string }
}

/** Hooks of a turn as an entry of the log has them. */
export function readTurnHooks(value: JsonValue | undefined): readonly TurnHooks[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((one: JsonValue) => {
    if (!isObject(one) || !isObject(one.hooks)) return []
    const { source, file, isProject, hooks, variables } = one
    const texts = Object.entries(isObject(variables) ? variables : {}).map(([name, text]) => [name, String(text)])
    return [
      {
        source: String(source),
        file: String(file),
        isProject: isProject !== false,
        hooks,
        variables: Object.fromEntries(texts),
      },
    ]
  })
}
