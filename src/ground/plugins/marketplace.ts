/** A marketplace: a file that lists plugins and where each comes from. */

import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type EntrySource, entrySource, isHere } from "./source.ts"
import { plainPath, type Tree } from "./tree.ts"

export interface Marketplace {
  readonly name: string
  readonly owner?: string
  readonly description?: string
  readonly plugins: readonly MarketplaceEntry[]
  /** One sentence for each entry that cannot be used. */
  readonly problems: readonly string[]
}

export interface MarketplaceEntry {
  readonly name: string
  readonly source: EntrySource
  readonly description?: string
  readonly version?: string
  readonly author?: string
  readonly category?: string
  /** The whole entry: it may have commands, hooks and servers of its own. */
  readonly written: JsonObject
}

/** Where marketplaces keep their file; the first that exists counts. */
export const marketplaceFiles: readonly string[] = [
  ".codewright-plugin/marketplace.json",
  ".claude-plugin/marketplace.json",
  ".agents/plugins/marketplace.json",
  ".github/plugin/marketplace.json",
  ".cursor-plugin/marketplace.json",
  "marketplace.json",
]

/** Nothing that has a meaning in a rule, a path or a key. */
export const nameShape: Readonly<RegExp> = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const mostPlugins = 5_000

/** The text of the marketplace's file within fetched files. */
export function marketplaceIn(tree: Tree, file?: string): Result<JsonObject, string> {
  const places = file === undefined ? marketplaceFiles : [plainPath(file) ?? ""]
  const found = places.map((path) => tree.get(path)).find((node) => node?.kind === "file")
  if (found?.kind !== "file") return failed(`It has no ${file ?? ".claude-plugin/marketplace.json"}.`)
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(found.bytes))
    return isObject(value) ? ok(value) : failed("Its marketplace.json must hold an object.")
  } catch (error) {
    return failed(`Its marketplace.json is not JSON (${error instanceof Error ? error.message : String(error)}).`)
  }
}

/** An entry that cannot be used is left out; the others stay. */
export function readMarketplace(written: JsonObject): Result<Marketplace, string> {
  const { name, owner, metadata, plugins } = written
  if (typeof name !== "string" || !nameShape.test(name))
    return failed(`The marketplace's name must be letters, digits, dots, - and _, not ${JSON.stringify(name)}.`)
  if (!Array.isArray(plugins)) return failed(`The marketplace ${name} has no list of plugins.`)
  const about = isObject(metadata) ? metadata : {}
  const root = typeof about.pluginRoot === "string" ? about.pluginRoot : ""
  const pluginRoot = isHere(root) ? "" : plainPath(root)
  if (pluginRoot === undefined) return failed(`The pluginRoot of the marketplace ${name} leaves its folder.`)
  const entries = new Map<string, MarketplaceEntry>()
  const problems: string[] = []
  if (plugins.length > mostPlugins) problems.push(`Only the first ${mostPlugins} plugins of ${name} are read.`)
  for (const [i, one] of plugins.slice(0, mostPlugins).entries()) {
    const entry = readEntry(one, pluginRoot)
    const called = isObject(one) && typeof one.name === "string" ? JSON.stringify(one.name) : `number ${i + 1}`
    if (!entry.ok) problems.push(`The plugin ${called} of ${name} is left out: ${entry.failure}.`)
    else if (entries.has(entry.value.name.toLowerCase()))
      problems.push(`The plugin ${called} of ${name} is left out: another one has this name.`)
    else entries.set(entry.value.name.toLowerCase(), entry.value)
  }
  const description = textOf(written.description) ?? textOf(about.description)
  return ok({
    name,
    ...optional("owner", personOf(owner)),
    ...optional("description", description),
    plugins: [...entries.values()],
    problems,
  })
}

function readEntry(one: JsonValue, pluginRoot: string): Result<MarketplaceEntry, string> {
  if (!isObject(one)) return failed("it is not an object")
  const { name, description, version, author, category } = one
  if (typeof name !== "string" || !nameShape.test(name))
    return failed("its name must be letters, digits, dots, - and _")
  const source = entrySource(one.source, pluginRoot)
  if (!source.ok) return source
  return ok({
    name,
    source: source.value,
    ...optional("description", textOf(description)),
    ...optional("version", textOf(version)),
    ...optional("author", personOf(author)),
    ...optional("category", textOf(category)),
    written: one,
  })
}

/** A name, or an object with one. */
function personOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === "string") return value
  if (!isObject(value) || typeof value.name !== "string") return undefined
  return typeof value.email === "string" ? `${value.name} <${value.email}>` : value.name
}

const textOf = (value: JsonValue | undefined): string | undefined => (typeof value === "string" ? value : undefined)
