/** What commands of a session ask of the program around it: keys, settings, checks, documents. */

import type { Op } from "#agent/words/op.ts"

export const programCommands = [
  "status",
  "doctor",
  "config",
  "plugins",
  "login",
  "logout",
  "export",
  "share",
  "stats",
  "bug",
  "statusline",
  "ide",
  "running",
] as const
export type ProgramCommand = (typeof programCommands)[number]

export interface ProgramCommands {
  readonly run: (command: ProgramCommand, words: string) => Promise<SlashAnswer>
}

/** A command carried out as far as that is possible without changing the session: the text, and what is left to do. */
export interface SlashAnswer extends Partial<NextConversation> {
  /** Empty where what is done says it all. */
  readonly text: string
  readonly isError?: true
  /** In this order; a prompt comes last. */
  readonly ops?: readonly Op[]
  /** What may follow the name, in the order of the numbers in the text. */
  readonly choices?: readonly string[]
  /** For the clipboard, where the face has one. */
  readonly copy?: string
}

/** The session goes on without the face that leaves it, with this prompt if it is not empty. */
export interface ToBackground {
  readonly background: string
}

/** The conversation to continue with instead of this one, where the face can leave for it. */
export interface NextConversation {
  readonly resume: string
  /** It is continued in a copy. */
  readonly fork?: true
}
