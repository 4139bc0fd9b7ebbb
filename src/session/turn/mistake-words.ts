/** What is said about a bug in the program, or a log that cannot be written. */

import type { LogFailure } from "#ground/transcript/log.ts"

export const mistakeWords = (error: unknown): string =>
  `Codewright made a mistake of its own: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`

export const unsavedTurnWords = (failure: LogFailure): string =>
  `${unsavedWords(failure)} The turn was ended so that nothing happens unrecorded.`

export const unsavedChoreWords = (failure: LogFailure): string =>
  `${unsavedWords(failure)} Nothing was done, because nothing may happen unrecorded.`

const unsavedWords = ({ message, path }: LogFailure): string => `The session could not be saved: ${message} (${path}).`
