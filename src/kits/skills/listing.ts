/** The list of skills for the model: every name, and as much of each description as fits. */

import type { CommandDefinition } from "#agent/words/command.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { onceFor } from "#lib/once-each.ts"
import { sentence } from "#lib/sentence.ts"

export type Listed = Pick<CommandDefinition, "name" | "description" | "whenToUse">

const head = "Skills: load one with the Skill tool before you begin work that it fits."

/** Empty if there is nothing to list. Long descriptions are cut first, so that short ones stay whole. */
export function listingText(skills: readonly Listed[], mostCharacters: number): string | undefined {
  if (skills.length === 0) return undefined
  const full = skills.map(lineOf)
  const room = mostCharacters - head.length - noteRoom
  const names = full.reduce((sum, { name }) => sum + name.length + lineRoom, 0)
  if (names > room) return namesOnly(full, room)
  const length = longestThatFits(
    full.map(({ about }) => about.length),
    room - names,
  )
  const isCut = full.some(({ about }) => about.length > length)
  const lines = full.map(({ name, about }) => `- ${name}: ${cutTo(about, length)}`)
  return escapeImitations([head, ...lines, ...(isCut ? [cutNote] : [])].join("\n"))
}

/** Of a definition once: every agent is given the list. */
const lineOf = onceFor(({ name, description, whenToUse }: Listed) => ({
  name,
  about: oneLine(whenToUse === undefined ? description : `${sentence(description.trim())} ${whenToUse}`),
}))

const lineRoom = "- : \n".length
const noteRoom = 200
const cutNote = "(Some descriptions are cut to save room; the Skill tool gives the whole skill.)"

function namesOnly(skills: readonly { readonly name: string }[], room: number): string {
  let left = room
  const kept = skills.filter(({ name }) => (left -= name.length + 2) > 0)
  const rest = skills.length - kept.length
  const note = rest === 0 ? "" : `\n(${rest} more have no room here; the user knows their names.)`
  return escapeImitations(`${head}\n${kept.map(({ name }) => name).join(", ")}${note}`)
}

/** The length to which texts must be cut so that all of them fit. */
function longestThatFits(lengths: readonly number[], room: number): number {
  let left = room
  const sorted = lengths.toSorted((a, b) => a - b)
  for (const [i, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - i))
    if (length > share) return share
    left -= length
  }
  return Number.POSITIVE_INFINITY
}

const cutTo = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1)).toWellFormed()}…`

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim()
