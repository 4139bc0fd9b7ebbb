/** A skill as the model reads it when it is loaded, and again after a compaction. */

import type { CommandDefinition } from "#agent/words/command.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Attachment } from "#agent/words/kit.ts"

/** Of the window, at the worst rate of characters per token: the task and its answer need the rest. */
const shareOfWindow = 0.5
const charactersPerToken = 3

/** In full, unless it would fill the model's window. */
export function skillWords({ name, folder, path }: CommandDefinition, text: string, windowTokens: number): string {
  const where = folder === undefined ? "" : ` Its folder is ${folder}; files that it names are there.`
  return `The skill ${name}.${where} Follow it from here on.\n\n${cutSkill(text, windowTokens, path)}`
}

export const cutSkill = (text: string, windowTokens: number, path?: string): string =>
  within(text, path, Math.floor(windowTokens * shareOfWindow * charactersPerToken))

function within(text: string, path: string | undefined, most: number): string {
  if (text.length <= most) return text
  const end = text.lastIndexOf("\n", most)
  const shown = text.slice(0, end > most / 2 ? end : most).toWellFormed()
  const rest = path === undefined ? "" : ` Read ${path} for the rest.`
  return `${shown}\n[Cut here, after ${shown.length} of ${text.length} characters.${rest}]`
}

export const preloadName = "preloaded_skill"
export const isPreload = (name: string): boolean => name === preloadName

export const notPreloadedWords = (name: string, why: "missing" | "guarded" | "server"): string =>
  why === "server"
    ? `The skill ${name}, which this agent was to begin with, is of an MCP server. Load it with the Skill tool if you need it.`
    : why === "missing"
      ? `The skill ${name}, which this agent was to begin with, does not exist. Say so in your answer, and work without it.`
      : `The skill ${name}, which this agent was to begin with, is not loaded: a permission rule is about it.`

const againName = "loaded_skill"
const againMark = "A skill that was loaded before the conversation was made smaller, and still holds. "

export const againWords = (name: string, text: string): Attachment => ({
  name: againName,
  text: `${againMark}${text}`,
  data: { skill: name },
})

/** Skills that the conversation after a compaction shows again, with their text. */
export function shownAgain({ messages, added }: Entry & { readonly kind: "compaction" }): readonly ShownSkill[] {
  if (!added)
    return messages.flatMap(({ content }) =>
      content.flatMap((block) => (block.type === "text" ? (namedIn(wordsIn(block.text)) ?? []) : [])),
    )
  return added.flatMap(({ message, block, name, data }) => {
    const shown = messages[message]?.content[block]
    if (name !== againName || typeof data?.skill !== "string" || shown?.type !== "text") return []
    return [{ name: data.skill, text: wordsIn(shown.text).slice(againMark.length) }]
  })
}

interface ShownSkill {
  readonly name: string
  readonly text: string
}

const wordsIn = (block: string): string =>
  block.replace(/^<system-reminder>\n/, "").replace(/\n<\/system-reminder>$/, "")

/** For logs of older versions only, in which only the text tells which skill it is. */
function namedIn(text: string): ShownSkill | undefined {
  if (!text.startsWith(againMark)) return undefined
  const words = text.slice(againMark.length)
  const [, name] = /^The skill (.+?)\. (?:Its folder|Follow it) /.exec(words) ?? []
  return name === undefined ? undefined : { name, text: words }
}
