/** A built-in command or skill: what differs from one to the next, and the definition that comes of it. */

import type { CommandDefinition } from "#agent/words/command.ts"

/** The model may load it by itself unless `isForModel` is false. */
export type BundledCommand = Pick<CommandDefinition, "name" | "description" | "body"> &
  Partial<Pick<CommandDefinition, "whenToUse" | "takes" | "allowedTools" | "isForModel">>

export const definitionOf = (command: BundledCommand): CommandDefinition => ({
  kind: "skill",
  source: "built-in",
  takes: "",
  argumentNames: [],
  allowedTools: [],
  disallowedTools: [],
  isForModel: true,
  isForPerson: true,
  problems: [],
  ...command,
})
