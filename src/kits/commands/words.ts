/** Messages about commands, for the model and the user. */

import type { CommandDefinition } from "#agent/words/command.ts"
import { escapeImitations } from "#agent/words/reminder.ts"

export const gaveWords = (typed: string, { folder }: CommandDefinition): string =>
  `The user gave the command ${escapeImitations(typed)}. This is what it says.${
    folder === undefined ? "" : ` Files that it names are in ${folder}.`
  }`

export const forkedWords = (typed: string, report: string): string =>
  `The user gave the command ${escapeImitations(typed)}. An agent of its own has carried it out and reports what follows. Tell the user what matters of it; do not do it again.\n\n${report}`

export const missingWords = (name: string): string => `The command /${name} no longer exists. /help lists the commands.`

export const untrustedWords = (name: string): string =>
  `/${name} came with this folder, which is not trusted: its text is used, but it runs no commands, allows no tools and brings in no files. To trust the folder: codewright trust`

export const changedWords = (name: string): string =>
  `/${name} is new or has changed since you trusted this folder: its text is used, but it runs no commands, allows no tools and brings in no files. To look at it, start codewright here in a terminal; to trust it: codewright trust`

export const newHooksWords = (name: string): string =>
  `/${name} is new or has changed since this session began: its hooks do not run, and it allows no tools. Start a new session to use them.`

export const wrongHooksWords = (name: string, { path }: CommandDefinition, why: string): string =>
  `${name} is not used, because its hooks cannot be followed: ${why} Fix them in ${path ?? name}, or remove them.`

export const noForkWords = (name: string): string =>
  `/${name} wants an agent of its own (context: fork), and no agents can be started here. It is carried out in this conversation.`
