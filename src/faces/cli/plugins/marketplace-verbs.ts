/** `codewright plugin marketplace`: add, list, update, remove. */

import { marketplaceFromText, type MarketplaceSource, sourceWords } from "#ground/plugins/source.ts"
import { rulePlace } from "#ground/settings/save.ts"
import { setSetting } from "#ground/settings/set.ts"
import { readMarketplace } from "#ground/plugins/marketplace.ts"
import type { JsonObject } from "#lib/json.ts"
import { counted } from "#lib/figures.ts"
import { optional } from "#lib/optional.ts"
import { forConsent } from "#lib/printable.ts"
import { ok, type Result } from "#lib/result.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import type { PluginScope } from "./enabling.ts"
import { fetchMarketplace, marketplacesOf, removeMarketplace, updateMarketplace } from "./marketplaces.ts"
import type { NamedMarketplace } from "./marketplaces-here.ts"
import type { PluginCall } from "./plugin-call.ts"

export async function marketplace(call: PluginCall, [verb = "list", ...words]: readonly string[]): Promise<number> {
  switch (verb) {
    case "add":
      return add(call, words)
    case "list":
      return list(call)
    case "update":
      return update(call, words)
    case "remove":
    case "rm":
      return remove(call, words)
    default:
      return call.io.fail(`plugin marketplace takes add, list, update or remove, not '${verb}'.`)
  }
}

async function add({ context, args, io }: PluginCall, [text, ...more]: readonly string[]): Promise<number> {
  if (text === undefined || more.length > 0)
    return io.fail("Name one source: codewright plugin marketplace add <owner/repo, address or folder>")
  const ref = args.value("ref")
  const source = marketplaceFromText(ref === undefined ? text : `${text}#${ref}`, context.setting.cwd)
  if (!source.ok) return io.fail(`${text} cannot be added: ${source.failure}.`)
  const added = await fetchMarketplace(context, source.value)
  if (!added.ok) return io.fail(added.failure)
  const { name, plugins, problems, owner } = added.value
  const scope = args.value("scope") as PluginScope | undefined
  if (scope === "project" || scope === "local") {
    const saved = saveMarketplace(context.setting, { name, source: source.value }, scope)
    if (!saved.ok) return io.fail(saved.failure)
  }
  if (args.has("json"))
    io.write(
      `${JSON.stringify({ marketplaces: [{ name, owner, source: source.value, plugins: plugins.map((one) => one.name), problems }] })}\n`,
    )
  else
    io.say(
      forConsent(
        `Added ${name}${owner === undefined ? "" : ` by ${owner}`} with ${counted(plugins.length, "plugin")}. Install one with: codewright plugin install <name>@${name}`,
      ),
    )
  for (const problem of problems) io.warn(forConsent(problem))
  return 0
}

async function list({ context, args, io }: PluginCall): Promise<number> {
  const records = context.records()
  if (!records.ok) return io.fail(records.failure)
  const rows = marketplacesOf(context).map(({ name, source, from }) => {
    const known = records.value.marketplaces[name]
    const read = known && readMarketplace(known.written)
    return {
      name,
      source,
      from,
      pin: known?.pin,
      ...(read?.ok && { owner: read.value.owner, plugins: read.value.plugins.map((one) => one.name) }),
    }
  })
  if (args.has("json")) {
    io.write(`${JSON.stringify({ marketplaces: rows })}\n`)
    return 0
  }
  const lines = rows.map(
    ({ name, source, from, plugins }) =>
      `${name}  ${sourceWords(source)} · ${plugins === undefined ? "not fetched yet" : counted(plugins.length, "plugin")}${from === "settings" ? " · from settings" : ""}`,
  )
  io.say(
    lines.length === 0
      ? "No marketplaces. Add one with: codewright plugin marketplace add <owner/repo>"
      : lines.map(forConsent).join("\n"),
  )
  return 0
}

async function update({ context, args, io }: PluginCall, words: readonly string[]): Promise<number> {
  const names = words.length > 0 ? words : marketplacesOf(context).map(({ name }) => name)
  const rows: object[] = []
  let failures = 0
  for (const name of names) {
    const fresh = await updateMarketplace(context, name)
    if (!fresh.ok) {
      failures++
      io.warn(forConsent(fresh.failure))
      continue
    }
    rows.push({ name, plugins: fresh.value.plugins.map((one) => one.name) })
    if (!args.has("json")) io.say(forConsent(`${name}: ${counted(fresh.value.plugins.length, "plugin")}`))
    for (const problem of fresh.value.problems) io.warn(forConsent(problem))
  }
  if (args.has("json")) io.write(`${JSON.stringify({ marketplaces: rows })}\n`)
  else if (names.length === 0) io.say("No marketplaces. Add one with: codewright plugin marketplace add <owner/repo>")
  return failures > 0 ? 1 : 0
}

async function remove({ context, args, io }: PluginCall, [name, ...more]: readonly string[]): Promise<number> {
  if (name === undefined || more.length > 0)
    return io.fail("Name one marketplace: codewright plugin marketplace remove <name>")
  const removed = removeMarketplace(context, name)
  if (!removed.ok) return io.fail(removed.failure)
  if (args.has("json")) io.write(`${JSON.stringify({ marketplaces: [], removed: name, left: removed.value })}\n`)
  else io.say(`Removed ${name}.${removed.value.length === 0 ? "" : ` Still installed: ${removed.value.join(", ")}`}`)
  return 0
}

/** In the form that other tools read, too. */
export function saveMarketplace(
  { cwd, state, home, loaded }: StartupContext,
  { name, source }: Pick<NamedMarketplace, "name" | "source">,
  scope: PluginScope,
): Result<void, string> {
  if (loaded.settings.extraKnownMarketplaces && Object.hasOwn(loaded.settings.extraKnownMarketplaces, name))
    return ok(undefined)
  const place = rulePlace(scope === "project" ? "project settings" : "local settings", { root: cwd, state, home })
  return setSetting({
    ...place,
    key: "extraKnownMarketplaces",
    steps: ["extraKnownMarketplaces", name],
    value: { source: writtenSource(source) },
  })
}

function writtenSource(source: MarketplaceSource): JsonObject {
  switch (source.kind) {
    case "git":
      return { source: "git", url: source.url, ...optional("ref", source.ref), ...optional("path", source.file) }
    case "folder":
      return { source: "directory", path: source.path }
    case "file":
    case "archive":
      return { source: source.kind === "file" ? "url" : "archive", url: source.url }
    case "npm":
      return { source: "npm", package: source.package, ...optional("version", source.version) }
  }
}
