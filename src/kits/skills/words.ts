/** A skill as the model reads it when it is loaded, and once more after a compaction. */

import type { CommandDefinition } from "#agent/words/command.ts"

const mostTokens = 5_000
const charactersPerToken = 4

/** Within its budget; the rest can be read where the skill lies. */
export function skillWords({ name, folder, path }: CommandDefinition, text: string): string {
  const where = folder === undefined ? "" : ` Its folder is ${folder}; files that it names are there.`
  return `The skill ${name}.${where} Follow it from here on.\n\n${within(text, path)}`
}

function within(text: string, path: string | undefined): string {
  const most = mostTokens * charactersPerToken
  if (text.length <= most) return text
  const end = text.lastIndexOf("\n", most)
  const shown = text.slice(0, end > most / 2 ? end : most).toWellFormed()
  const rest = path === undefined ? "" : ` Read ${path} for the rest.`
  return `${shown}\n[Cut here, after ${shown.length} of ${text.length} characters.${rest}]`
}

const againMark = "A skill that was loaded before the conversation was made smaller, and still holds. "

export const againWords = (text: string): string => `${againMark}${text}`

/** The name and the words of a skill in a text that shows it again. */
export function shownAgain(text: string): { readonly name: string; readonly text: string } | undefined {
  const inner = text.replace(/^<system-reminder>\n/, "").replace(/\n<\/system-reminder>$/, "")
  if (!inner.startsWith(againMark)) return undefined
  const words = inner.slice(againMark.length)
  const [, name] = /^The skill (.+?)\. (?:Its folder|Follow it) /.exec(words) ?? []
  return name === undefined ? undefined : { name, text: words }
}
