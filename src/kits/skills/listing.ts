/** The list of skills for the model: every name, and as much of each description as fits. */

import type { CommandDefinition } from "#agent/words/command.ts"
import { escapeImitations } from "#agent/words/reminder.ts"
import { onceFor } from "#lib/once-each.ts"
import { sentence } from "#lib/sentence.ts"

export type Listed = Pick<CommandDefinition, "name" | "description" | "whenToUse">

const head = "Skills: load one with the Skill tool before you begin work that it fits."

/** What is told of skills, and which of them with all that their files say. */
export interface SkillListing {
  readonly text: string
  readonly whole: readonly string[]
}

/** Undefined if there is nothing to list. `wanted` are those to be told whole if not all can be, the most wanted first. */
export function listing(
  skills: readonly Listed[],
  mostCharacters: number,
  wanted: () => readonly Listed[] = () => [],
): SkillListing | undefined {
  if (skills.length === 0) return undefined
  const room = mostCharacters - head.length - noteRoom
  // Hundreds of descriptions are not even looked at where there is no room for them.
  const full = mayFit(skills, room) ? skills.map(lineOf) : []
  if (full.length > 0 && totalOf(full) <= room)
    return { text: textOf([head, ...full.map(rowOf)]), whole: full.map(({ name }) => name) }
  const whole = fitting(wanted().map(lineOf), room * (1 - laterShare) * wantedShare)
  const isWhole = new Set(whole.map(({ name }) => name))
  const rest = isWhole.size === 0 ? skills : skills.filter(({ name }) => !isWhole.has(name))
  const left = room * (1 - laterShare) - totalOf(whole)
  const names = namesTotal(rest)
  const rows = [head, ...whole.map(rowOf)]
  if (names > left) return { text: textOf([...rows, namesOnly(rest, left)]), whole: [...isWhole] }
  const others = rest.map(lineOf)
  const length = longestThatFits(
    others.map(({ about }) => about.length),
    left - names,
  )
  const cut = others.map(({ name, about }) => rowOf({ name, about: cutTo(about, length) }))
  return {
    text: textOf([...rows, ...cut, cutNote]),
    whole: [...isWhole, ...others.flatMap(({ name, about }) => (about.length <= length ? [name] : []))],
  }
}

/** Of the room for the list, what is kept for skills that fit later prompts. */
export const laterShare = 0.25
/** Of the rest, what those that fit the first prompt may take. */
const wantedShare = 0.5

/** Skills that fit a prompt and were not told whole before; undefined if none has room. */
export function laterListing(skills: readonly Listed[], mostCharacters: number): SkillListing | undefined {
  const lines = fitting(skills.map(lineOf), mostCharacters - laterHead.length)
  if (lines.length === 0) return undefined
  return { text: textOf([laterHead, ...lines.map(rowOf)]), whole: lines.map(({ name }) => name) }
}

const laterHead = "Skills that may fit this, to be loaded with the Skill tool:"

interface SkillLine {
  readonly name: string
  readonly about: string
}

function fitting(lines: readonly SkillLine[], room: number): readonly SkillLine[] {
  let left = room
  return lines.filter((line) => {
    const isFitting = lengthOf(line) <= left
    if (isFitting) left -= lengthOf(line)
    return isFitting
  })
}

const lengthOf = ({ name, about }: SkillLine): number => name.length + about.length + lineRoom
function namesTotal(skills: readonly Pick<Listed, "name">[]): number {
  let total = 0
  for (const { name } of skills) total += name.length + lineRoom
  return total
}

/** Whether the lines could be short enough, as far as that can be said without making them. */
function mayFit(skills: readonly Listed[], room: number): boolean {
  let left = room
  for (const { name, description } of skills)
    if ((left -= name.length + description.trim().length + lineRoom) < 0) return false
  return true
}

function totalOf(lines: readonly SkillLine[]): number {
  let total = 0
  for (const { name, about } of lines) total += name.length + about.length + lineRoom
  return total
}

const rowOf = ({ name, about }: SkillLine): string => `- ${name}: ${about}`
const textOf = (rows: readonly string[]): string => escapeImitations(rows.join("\n"))

/** Of a definition once: every agent is given the list. */
const lineOf = onceFor(({ name, description, whenToUse }: Listed) => ({
  name,
  // A description has no line breaks.
  about: whenToUse === undefined ? description.trim() : oneLine(`${sentence(description.trim())} ${whenToUse}`),
}))

const lineRoom = "- : \n".length
const noteRoom = 200
const cutNote = "(Some descriptions are cut to save room; the Skill tool gives the whole skill.)"

function namesOnly(skills: readonly { readonly name: string }[], room: number): string {
  let left = room
  const kept: string[] = []
  for (const { name } of skills) if ((left -= name.length + 2) > 0) kept.push(name)
  const rest = skills.length - kept.length
  const note = rest === 0 ? "" : `\n(${rest} more have no room here; those that fit a prompt are named with it.)`
  return `${kept.join(", ")}${note}`
}

/** The length to which texts must be cut so that all of them fit. */
function longestThatFits(lengths: readonly number[], room: number): number {
  let left = room
  const sorted = Float64Array.from(lengths).sort()
  for (const [i, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - i))
    if (length > share) return share
    left -= length
  }
  return Number.POSITIVE_INFINITY
}

const cutTo = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1)).toWellFormed()}…`

const oneLine = (text: string): string => (/[^\S ]| {2}/.test(text) ? text.replace(/\s+/g, " ") : text).trim()
