/** Finds tools that are not in context, and loads their definitions. */

import { defineTool } from "#agent/words/define-tool.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { definitionText } from "#agent/words/model.ts"
import { answered, type AnyTool, type Outcome, refused, type Tool } from "#agent/words/tool.ts"
import { nearNames } from "#lib/near.ts"
import * as shape from "#lib/shape.ts"
import type { Offer } from "./listing.ts"

export const toolSearchName = "ToolSearch"

export interface ToolSearchPorts {
  readonly tools: () => readonly AnyTool[]
  readonly offer: (tool: AnyTool) => Offer
  /** The tool to call loaded tools with, if they cannot be called by name. */
  readonly callWith: () => string | undefined
}

export interface ToolSearchInput {
  readonly query: string
  readonly max_results: number
}

const mostResults = 20
const usualResults = 5
const mostNear = 3
const selectPrefix = "select:"

const input = shape.object({
  query: shape
    .string()
    .trim()
    .min(1)
    .describe(`Words to look for in names and descriptions, or ${selectPrefix}name,name for exactly these tools`),
  max_results: shape.int().min(1).max(mostResults).default(usualResults),
})

export function toolSearchTool(ports: ToolSearchPorts): Tool<ToolSearchInput> {
  return defineTool({
    name: toolSearchName,
    description,
    input,
    title: ({ query }) => `ToolSearch ${query}`,
    footprint: () => touchesNothing(),
    run: async ({ query, max_results }) => {
      const tools = ports.tools()
      if (tools.length === 0)
        return refused("No tools of MCP servers are there. You will be told when a server connects.")
      return query.toLowerCase().startsWith(selectPrefix)
        ? selected(query.slice(selectPrefix.length), tools, ports)
        : offerFound(matching(query, tools).slice(0, max_results), nothingFound(query, tools), ports)
    },
  })
}

const description = `Finds tools of connected MCP servers that are not in your list, and loads their definitions so that you can call them. Names of such tools are told in system reminders. Ask for exact names with "${selectPrefix}name,name", or search with words ("create issue"); put + before a word that must occur. Load what you need in one call, before you use it; a tool stays loaded.`

function selected(names: string, tools: readonly AnyTool[], ports: ToolSearchPorts): Outcome {
  const wanted = [...new Set(names.split(",").map((name) => name.trim()))].filter((name) => name !== "")
  const found = wanted.flatMap((name) => tools.filter((tool) => isNamed(tool, name)))
  const missing = wanted.filter((name) => !tools.some((tool) => isNamed(tool, name)))
  return offerFound([...new Set(found)].slice(0, mostResults), missingWords(missing, tools), ports)
}

/** A server's own name for its tool is accepted, too. */
const isNamed = ({ name }: AnyTool, wanted: string): boolean =>
  name.toLowerCase() === wanted.toLowerCase() || name.toLowerCase().endsWith(`__${wanted.toLowerCase()}`)

function missingWords(missing: readonly string[], tools: readonly AnyTool[]): string {
  if (missing.length === 0) return "No tool was named. Write the names after select:, with commas between them."
  const near = missing.flatMap((name) => nearTools(name, tools))
  return `There is no tool named ${missing.join(" or ")}.${near.length > 0 ? ` Did you mean ${near.join(" or ")}?` : " Search with words instead."}`
}

/** Similar to its full name, or to its server's own name for it. */
function nearTools(wanted: string, tools: readonly AnyTool[]): readonly string[] {
  const whole = nearNames(
    wanted,
    tools.map(({ name }) => name),
  )
  const own = nearNames(
    wanted,
    tools.map(({ name }) => ownName(name)),
  )
  const named = tools.flatMap(({ name }) => (own.includes(ownName(name)) ? [name] : []))
  return [...new Set([...whole, ...named])].slice(0, mostNear)
}

const ownName = (name: string): string => name.replace(/^mcp__.+?__/, "")

const nothingFound = (query: string, tools: readonly AnyTool[]): string =>
  `None of the ${tools.length} tools of MCP servers fits "${query}". Try other or fewer words.`

/** References must be alone in their result: if anything has to be text, everything is. */
function offerFound(found: readonly AnyTool[], otherwise: string, { offer, callWith }: ToolSearchPorts): Outcome {
  if (found.length === 0) return refused(otherwise)
  const offers = found.map((tool) => ({ tool, how: offer(tool) }))
  const display = { kind: "list", items: found.map(({ name }) => name) } as const
  const data = { tools: found.map(({ name }) => name) }
  if (offers.every(({ how }) => how === "reference"))
    return answered(
      found.map(({ name }) => ({ type: "tool_reference", tool_name: name }) as const),
      { display, data },
    )
  const how = callWith()
  const texts = offers.map(({ tool, how: offered }) =>
    offered === "listed"
      ? `${tool.name} is in your list of tools already.`
      : definitionText({ name: tool.name, description: tool.description, input_schema: tool.schema }),
  )
  const isLoaded = offers.some(({ how: offered }) => offered !== "listed")
  const call = how === undefined ? "Call them by name." : `Call them with ${how}.`
  return answered([...texts, ...(isLoaded ? [call] : [])].join("\n\n"), { display, data })
}

/** Best first. A word counts most in the name and its hint, less in the description; required words decide first. */
function matching(query: string, tools: readonly AnyTool[]): readonly AnyTool[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.replace("+", "") !== "")
  const must = words.filter((word) => word.startsWith("+")).map((word) => word.slice(1))
  const all = words.map((word) => word.replace(/^\+/, ""))
  return tools
    .map((tool) => ({ tool, text: searchable(tool) }))
    .filter(({ text }) => must.every((word) => text.all.includes(word)))
    .map(({ tool, text }) => ({ tool, score: all.reduce((sum, word) => sum + scoreOf(word, text), 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool)
}

interface Searchable {
  readonly name: string
  readonly parts: readonly string[]
  readonly hint: string
  readonly all: string
}

function searchable({ name, description: whole, about = whole, searchHint = "", schema }: AnyTool): Searchable {
  const lower = name.toLowerCase()
  const hint = searchHint.toLowerCase()
  const fields = Object.keys(schema.properties ?? {}).join(" ")
  return {
    name: lower,
    parts: lower.split(/[^a-z0-9]+/),
    hint,
    all: `${lower} ${hint} ${about.toLowerCase()} ${fields.toLowerCase()}`,
  }
}

function scoreOf(word: string, { name, parts, hint, all }: Searchable): number {
  if (parts.includes(word)) return 10
  if (name.includes(word) || hint.includes(word)) return 5
  return all.includes(word) ? 2 : 0
}
