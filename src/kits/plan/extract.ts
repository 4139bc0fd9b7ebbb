/** What a plan says it will touch, read from its headings: files to create or modify, commands and tests. */

import type { PlanScope } from "#agent/words/question.ts"

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

type Section = keyof PlanExtract

/** Undefined if the plan has none of these headings. */
export function extractPlan(plan: string): PlanExtract | undefined {
  const found: { [section in Section]: string[] } = { create: [], modify: [], commands: [], tests: [] }
  const seen = new Set<Section>()
  let section: Section | undefined
  let level = 0
  let fence: string | undefined
  for (const line of plan.split(/\r?\n/)) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence === undefined ? mark !== undefined : mark?.startsWith(fence)) {
      fence = fence === undefined ? mark : undefined
      continue
    }
    const heading = fence === undefined ? headingIn(line) : undefined
    if (heading) {
      // A deeper heading belongs to the section it is in, unless it opens one itself.
      const opened = sectionOf(heading.text)
      if (opened === undefined && section !== undefined && heading.level > level) continue
      section = opened
      level = heading.level
      if (section) seen.add(section)
      continue
    }
    if (section === undefined) continue
    found[section].push(...itemsIn(line, section, fence !== undefined))
  }
  if (seen.size === 0) return undefined
  return {
    create: distinct(found.create),
    modify: distinct(found.modify),
    commands: distinct(found.commands),
    tests: distinct(found.tests),
  }
}

/** A Markdown heading, or a line that is entirely bold. */
function headingIn(line: string): { readonly level: number; readonly text: string } | undefined {
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

const distinct = (items: readonly string[]): readonly string[] => [...new Set(items.filter((item) => item !== ""))]
