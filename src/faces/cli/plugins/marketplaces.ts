/** Marketplaces: adding, updating and removing them, and finding a plugin in them. */

import { basename, dirname } from "node:path"
import { type Marketplace, type MarketplaceEntry, marketplaceIn, readMarketplace } from "#ground/plugins/marketplace.ts"
import { downloadJson, obtain, type ObtainPorts, type Pin } from "#ground/plugins/obtain.ts"
import { policyProblem } from "#ground/plugins/policy.ts"
import { type MarketplaceSource, sourceWords } from "#ground/plugins/source.ts"
import { nearNames } from "#lib/near.ts"
import type { JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { statsOf } from "#lib/quietly.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { namedMarketplaces, type NamedMarketplace } from "./marketplaces-here.ts"
import type { PluginContext } from "./plugin-context.ts"

export function marketplacesOf({ setting, records }: PluginContext): readonly NamedMarketplace[] {
  const read = records()
  return namedMarketplaces(setting, read.ok ? read.value : { marketplaces: {}, plugins: {} }).all
}

export function marketplaceNamed(context: PluginContext, name: string): Result<NamedMarketplace, string> {
  const all = marketplacesOf(context)
  const found = all.find((one) => one.name === name)
  if (found) return ok(found)
  const near = nearNames(
    name,
    all.map((one) => one.name),
    1,
  )[0]
  return failed(
    `No marketplace is called ${name}.${near === undefined ? " Add it with: codewright plugin marketplace add <source>" : ` Did you mean ${near}?`}`,
  )
}

/** `expected`: what it must call itself. */
export async function fetchMarketplace(
  { policy, ports, change }: PluginContext,
  source: MarketplaceSource,
  expected?: string,
): Promise<Result<Marketplace, string>> {
  // Nothing is fetched that may not be used, as far as the name is known.
  const early = expected === undefined ? undefined : policyProblem(policy, expected, source)
  if (early !== undefined) return failed(early)
  const fetched = await writtenMarketplace(source, ports)
  if (!fetched.ok) return fetched
  const market = readMarketplace(fetched.value.written)
  if (!market.ok) return market
  const { name } = market.value
  if (expected !== undefined && expected !== name)
    return failed(`${sourceWords(source)} is the marketplace ${name}, not ${expected}.`)
  const refused = policyProblem(policy, name, source)
  if (refused !== undefined) return failed(refused)
  const kept = change((before) => {
    const known = before.marketplaces[name]
    if (known && sourceWords(known.source) !== sourceWords(source))
      return failed(
        `Another marketplace is called ${name}: ${sourceWords(known.source)}. To replace it, remove it first: codewright plugin marketplace remove ${name}`,
      )
    const after = { ...before, marketplaces: { ...before.marketplaces, [name]: { source, ...fetched.value } } }
    return ok({ after, value: undefined })
  })
  return kept.ok ? market : kept
}

async function writtenMarketplace(
  source: MarketplaceSource,
  ports: ObtainPorts,
): Promise<Result<{ readonly written: JsonObject; readonly pin: Pin }, string>> {
  if (source.kind === "file") {
    const written = await downloadJson(source.url, ports)
    return written.ok ? ok({ written: written.value, pin: {} }) : written
  }
  const { root, file } = source.kind === "folder" ? folderOfMarketplace(source.path) : { root: "", file: source.file }
  const fetched = await obtain(source.kind === "folder" ? { kind: "folder", path: root } : source, ports)
  if (!fetched.ok) return fetched
  const written = marketplaceIn(fetched.value.tree, file)
  if (!written.ok) return failed(`${sourceWords(source)} is not a marketplace. ${written.failure}`)
  return ok({ written: written.value, pin: fetched.value.pin })
}

/** A path may name the folder, or the file in it. */
export function folderOfMarketplace(path: string): { readonly root: string; readonly file?: string } {
  if (!path.endsWith(".json") || statsOf(path)?.isDirectory()) return { root: path }
  const folder = dirname(path)
  const isUsual = /^\.(?:claude|codewright|cursor)-plugin$/.test(basename(folder))
  return isUsual
    ? { root: dirname(folder), file: `${basename(folder)}/${basename(path)}` }
    : { root: folder, file: basename(path) }
}

/** As last fetched; fetched now if it never was. */
async function catalogOf(context: PluginContext, name: string): Promise<Result<Marketplace, string>> {
  const known = marketplaceNamed(context, name)
  if (!known.ok) return known
  const { source } = known.value
  const refused = policyProblem(context.policy, name, source)
  if (refused !== undefined) return failed(refused)
  const read = context.records()
  if (!read.ok) return read
  const kept = read.value.marketplaces[name]
  // A folder of this machine is read as it is.
  return !kept || source.kind === "folder" ? fetchMarketplace(context, source, name) : readMarketplace(kept.written)
}

export async function updateMarketplace(context: PluginContext, name: string): Promise<Result<Marketplace, string>> {
  const known = marketplaceNamed(context, name)
  return known.ok ? fetchMarketplace(context, known.value.source, name) : known
}

/** Its plugins stay installed, but are not updated any more. Returns their ids. */
export const removeMarketplace = ({ change }: PluginContext, name: string): Result<readonly string[], string> =>
  change((before) => {
    const { [name]: known, ...marketplaces } = before.marketplaces
    if (!known)
      return failed(`No marketplace ${name} was added. List marketplaces with: codewright plugin marketplace list`)
    const left = Object.entries(before.plugins).flatMap(([id, one]) => (one.marketplace === name ? [id] : []))
    return ok({ after: { ...before, marketplaces }, value: left })
  })

export interface FoundEntry {
  readonly marketplace: string
  readonly entry: MarketplaceEntry
}

export async function findEntry(
  context: PluginContext,
  name: string,
  marketplace?: string,
): Promise<Result<FoundEntry, string>> {
  const places = marketplace === undefined ? marketplacesOf(context).map((one) => one.name) : [marketplace]
  const found: FoundEntry[] = []
  const others: string[] = []
  for (const place of places) {
    const listed = await catalogOf(context, place)
    if (!listed.ok && marketplace !== undefined) return listed
    const plugins = listed.ok ? listed.value.plugins : []
    const entry = plugins.find((one) => one.name === name)
    if (entry) found.push({ marketplace: place, entry })
    others.push(...plugins.map((one) => one.name))
  }
  const [only, second] = found
  if (only && !second) return ok(only)
  if (second)
    return failed(
      `Several marketplaces have ${name}: ${found.map((one) => `${name}@${one.marketplace}`).join(", ")}. Name one of them.`,
    )
  const near = nearNames(name, others, 1)[0]
  const hint = near === undefined ? "" : ` Did you mean ${near}?`
  return failed(
    marketplace === undefined
      ? `No marketplace has a plugin ${name}.${hint || " List marketplaces with: codewright plugin marketplace list"}`
      : `The marketplace ${marketplace} has no plugin ${name}.${hint || ` If it is new: codewright plugin marketplace update ${marketplace}`}`,
  )
}

/** `name@marketplace`, or the name alone. */
export function splitId(text: string): { readonly name: string; readonly marketplace?: string } {
  const at = text.lastIndexOf("@")
  return at <= 0 ? { name: text } : { name: text.slice(0, at), ...optional("marketplace", text.slice(at + 1)) }
}
