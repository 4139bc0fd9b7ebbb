/** Auto memory: the agent's own notes on a project, kept between sessions. */

import { join } from "node:path"
import { escapeImitations } from "#agent/words/reminder.ts"
import type { TextFiles } from "#ground/workspace/text-files.ts"

const indexName = "MEMORY.md"
const mostLines = 200
const mostCharacters = 20_000

/** What the model is told about its notes, with the loaded part of the index. */
export function notesWords(folder: string, files: TextFiles): string {
  const index = join(folder, indexName)
  const text = files.read(index)?.text ?? ""
  const lines = text.trimEnd().split("\n")
  const shown = lines.slice(0, mostLines).join("\n").slice(0, mostCharacters).toWellFormed()
  const rest =
    shown.length < text.trimEnd().length ? `\n[cut: only ${mostLines} lines are loaded. Shorten the index.]` : ""
  const about = `You keep notes on this project in ${folder}. ${indexName} there is the index: at most ${mostLines} lines, loaded at the start of each session. Put details into files beside it, one topic each, and name them in the index with a line; Read them when they matter. Note what will help later and is not in the repository: commands that work, decisions and their reasons, corrections by the user. Keep no secrets, and remove what is no longer true. Do not mention the notes unless asked.`
  return escapeImitations(
    text.trim() === "" ? `${about}\nThe index is empty so far.` : `${about}\nThe index:\n${shown}${rest}`,
  )
}
