/** What a plan says it will touch, read from its headings: files to create or modify, commands and tests. */

import { optional } from "#lib/optional.ts"
import type { PlanScope } from "./question.ts"

export interface PlanExtract {
  readonly create: readonly string[]
  readonly modify: readonly string[]
  readonly commands: readonly string[]
  readonly tests: readonly string[]
}

/** For the question about a plan, and for whoever decides on it elsewhere. */
export function scopeOf(plan: string): PlanScope | undefined {
  const found = extractPlan(plan)
  return (
    found && {
      filesToCreate: found.create,
      filesToModify: found.modify,
      commands: found.commands,
      tests: found.tests,
    }
  )
}

/** The same with what the plan says about each: why a file is made, what changes in it, what a test covers. */
export interface PlanDetails {
  readonly create: readonly { readonly path: string; readonly purpose?: string }[]
  readonly modify: readonly { readonly path: string; readonly changes?: string }[]
  readonly tests: readonly { readonly path: string; readonly coverage?: string }[]
}

type Section = keyof PlanExtract

interface PlanPart {
  readonly name: string
  readonly about?: string
}

type PlanParts = { readonly [section in Section]: readonly PlanPart[] }

/** Undefined if the plan has none of these headings. */
export function extractPlan(plan: string): PlanExtract | undefined {
  const parts = partsOf(plan)
  return (
    parts && {
      create: distinct(parts.create),
      modify: distinct(parts.modify),
      commands: distinct(parts.commands),
      tests: distinct(parts.tests),
    }
  )
}

/** Undefined if it says nothing about any of them. */
export function planDetails(plan: string): PlanDetails | undefined {
  const parts = partsOf(plan)
  if (!parts || Object.values(parts).every((some) => some.every(({ about }) => about === undefined))) return undefined
  const mergedParts = (section: Section): readonly PlanPart[] =>
    distinct(parts[section]).map((name) => ({
      name,
      ...optional("about", parts[section].find((part) => part.name === name && part.about !== undefined)?.about),
    }))
  return {
    create: mergedParts("create").map(({ name, about }) => ({ path: name, ...optional("purpose", about) })),
    modify: mergedParts("modify").map(({ name, about }) => ({ path: name, ...optional("changes", about) })),
    tests: mergedParts("tests").map(({ name, about }) => ({ path: name, ...optional("coverage", about) })),
  }
}

function partsOf(plan: string): PlanParts | undefined {
  const found: { [section in Section]: PlanPart[] } = { create: [], modify: [], commands: [], tests: [] }
  const seen = new Set<Section>()
  let section: Section | undefined
  let level = 0
  const lines = linesOf(plan)
  const title = titleIn(lines)
  for (const line of lines) {
    const { heading } = line
    if (heading) {
      if (line === title) continue
      // A deeper heading belongs to the section it is in, unless it opens one itself.
      const opened = sectionOf(heading.text)
      if (opened === undefined && section !== undefined && heading.level > level) continue
      section = opened
      level = heading.level
      if (section) seen.add(section)
      continue
    }
    if (section === undefined) continue
    const items = itemsIn(line.text, section, line.isCode)
    const about = items.length === 1 && !line.isCode ? aboutIn(line.text, items[0] ?? "") : undefined
    found[section].push(...items.map((name) => ({ name, ...optional("about", about) })))
  }
  return seen.size === 0 ? undefined : found
}

const mostAbout = 500

/** What a line says after the name it is about. */
function aboutIn(line: string, name: string): string | undefined {
  const from = line.indexOf(name)
  if (from < 0) return undefined
  const rest = plainOf(line.slice(from + name.length).replace(/^[`*_\s]*/, ""))
  const [, text = ""] = /^(?:\(new\)|\(modified\))?\s*[-–—:(]+\s*(.+)$/.exec(rest) ?? []
  // An explanation in parentheses is the whole of it.
  const about = /^[^()]*\)$/.test(text) ? text.slice(0, -1) : text
  return about.trim() === "" ? undefined : about.trim().slice(0, mostAbout)
}

interface Heading {
  readonly level: number
  readonly text: string
}

interface PlanLine {
  readonly text: string
  readonly isCode: boolean
  readonly heading?: Heading
}

/** Without the marks around code. */
function linesOf(plan: string): readonly PlanLine[] {
  let fence: string | undefined
  return plan.split(/\r?\n/).flatMap((text): readonly PlanLine[] => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1]
    if (fence === undefined ? mark !== undefined : mark?.startsWith(fence)) {
      fence = fence === undefined ? mark : undefined
      return []
    }
    const heading = fence === undefined ? headingIn(text) : undefined
    return [{ text, isCode: fence !== undefined, ...(heading && { heading }) }]
  })
}

/** The plan's own name, such as "Fix the failing test", says nothing about what is below it. */
function titleIn(lines: readonly PlanLine[]): PlanLine | undefined {
  const first = lines.find(({ heading }) => heading)
  const levels = lines.flatMap(({ heading }) => heading?.level ?? [])
  const isAlone = levels.length > 1 && levels.lastIndexOf(1) === 0
  return isAlone ? first : undefined
}

/** A Markdown heading, or a line that is entirely bold. */
function headingIn(line: string): Heading | undefined {
  const [, marks, text] = /^ {0,3}(#{1,6})\s+(.*)$/.exec(line) ?? []
  if (marks !== undefined && text !== undefined) return { level: marks.length, text: withoutMarks(text.trim()) }
  const [, bold] = /^\s*\*\*([^*]+?):?\*\*:?\s*$/.exec(line) ?? []
  return bold === undefined ? undefined : { level: 7, text: bold }
}

/** A heading may be closed with the marks that opened it. A pattern for this would be slow on long lines. */
function withoutMarks(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === "#") end--
  return text.slice(0, end).trimEnd()
}

function sectionOf(heading: string): Section | undefined {
  const text = heading.toLowerCase().replace(/^[\d.)\s]+/, "")
  const hasFiles = /\bfiles?\b/.test(text)
  if (/\bnew files?\b/.test(text) || (hasFiles && /\b(?:create|creates|created|add|added)\b/.test(text)))
    return "create"
  if (hasFiles && /\b(?:modify|modified|change|changed|changes|edit|edited|update|updated|touch|touched)\b/.test(text))
    return "modify"
  if (/\bcommands?\b/.test(text)) return "commands"
  return /\btests?\b|\btesting\b|\bverif(?:y|ication)\b/.test(text) ? "tests" : undefined
}

function itemsIn(line: string, section: Section, fenced: boolean): readonly string[] {
  if (fenced) {
    const code = line.trim().replace(/^\$\s+/, "")
    return code === "" || code.startsWith("#") ? [] : [code]
  }
  const [, item] = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.+)$/.exec(line) ?? []
  if (item === undefined) return []
  const quoted = [...item.matchAll(/`([^`]+)`/g)].map(([, text = ""]) => text.trim())
  if (section === "tests") return quoted.length > 0 ? quoted : [plainOf(item)]
  const [first] = quoted
  if (first !== undefined) return [first]
  const named = plainOf(item)
  if (section === "commands") return [named]
  // The path comes before the explanation; a sentence is not a path.
  const [path = ""] = named.split(/\s[-–—:(]|:\s/)
  return /\s/.test(path.trim()) || path.trim() === "" ? [] : [path.trim()]
}

const plainOf = (text: string): string =>
  text
    .replace(/\[([^[\]]+)\]\([^()]*\)/g, "$1")
    .replace(/\*\*|__/g, "")
    .trim()

const distinct = (parts: readonly PlanPart[]): readonly string[] => [
  ...new Set(parts.flatMap(({ name }) => (name === "" ? [] : [name]))),
]
