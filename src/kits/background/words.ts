/** What the model is told about its background commands, and how to read that back later. */

import { sayStatus } from "#ground/workspace/processes/background-words.ts"
import type { BackgroundCommand } from "#ground/workspace/processes/background.ts"

export const endName = "background_end"
export const waitingName = "background_waiting"
export const lostName = "background_lost"

export function endWords(command: BackgroundCommand): string {
  const all = command.file === undefined ? "" : `; all of it is in ${command.file}`
  return `Background command ${sayStatus(command, 0)} It was \`${excerpt(command.command)}\`. BashOutput gives what it printed since you last looked${all}.`
}

export function waitingWords({ id, command }: BackgroundCommand, quietMs: number): string {
  return `Background command ${id} seems to wait for input: nothing was printed for ${Math.floor(quietMs / 1000)} s, and the last line looks like a question. It was \`${excerpt(command)}\`. Nobody can answer it: look with BashOutput, and if it does wait, end it with KillShell and start it again with options or piped input that avoid the question.`
}

export function lostWords(ids: readonly string[]): string {
  const one = ids.length === 1
  return `Background ${one ? "command" : "commands"} ${ids.join(", ")} ended when the session was closed. Start ${one ? "it" : "them"} again if needed.`
}

export function announcedId(text: string): string | undefined {
  return /^Background command (bash_\d+)/.exec(text)?.[1]
}

/** Agents also run in the background, under another kind of id. */
export const isCommand = (id: string): boolean => /^bash_\d+$/.test(id)

const mostCharacters = 120

/** The first line of a command, with reserved tags escaped. */
function excerpt(command: string): string {
  const [line = "", ...rest] = command.trim().split("\n")
  const short = line.length > mostCharacters ? line.slice(0, mostCharacters).toWellFormed() : line
  return short.replace(/<(?=\/?system-reminder)/gi, "&lt;") + (rest.length > 0 || short !== line ? " …" : "")
}
