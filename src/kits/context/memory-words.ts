/** How memory files are presented to the model. */

import { escapeImitations } from "#agent/words/reminder.ts"
import type { MemoryFile } from "./memory.ts"

/** Files longer than this are reported: they cost tokens with every request. */
export const longMemory = 40_000
const mostCharacters = 100_000

const opening =
  "These memory files contain instructions from the user and the maintainers of this project. Follow them where they apply; where two disagree the later one counts, and what the user says now counts more than any."

export const memoryWords = (files: readonly MemoryFile[]): string => [opening, ...files.map(fileWords)].join("\n\n")

function fileWords({ path, text, from, importedBy }: MemoryFile): string {
  const whose = importedBy === undefined ? ownership[from] : `brought in by ${importedBy}`
  const shown =
    text.length <= mostCharacters
      ? text.trimEnd()
      : `${text.slice(0, mostCharacters).toWellFormed()}\n[cut: of ${text.length} characters. Read the file for the rest.]`
  return `Contents of ${path} (${whose}):\n${escapeImitations(shown)}`
}

export const noteWords = (path: string, note: string): string =>
  `The user has just added this to ${path}; it applies from now on:\n${escapeImitations(note.trim())}`

/** For the user, if nobody could be asked. */
export const outsideWords = (paths: readonly string[]): string =>
  `Memory files of this project name files outside of it, which were left out: ${paths.join(", ")}. To bring them in, trust the folder and answer the question that a session in the terminal asks.`

const ownership: { readonly [from in MemoryFile["from"]]: string } = {
  managed: "set by the organisation",
  user: "the user's own, for all projects",
  project: "of this project",
}

export const longWords = ({ path, text }: MemoryFile): string =>
  `The memory file ${path} has ${text.length} characters, and it is sent with every session: more than ${longMemory} slow the model down. Shorten it, or move parts into rules with paths.`
