/** Fetches a plugin and looks at it. It lies in a folder of its own until it is installed or dropped; nothing of it runs. */

import { rmSync } from "node:fs"
import { join } from "node:path"
import { readPlugin } from "#ground/extensions/plugins.ts"
import { nameShape } from "#ground/plugins/marketplace.ts"
import { obtain, type Pin } from "#ground/plugins/obtain.ts"
import { policyProblem } from "#ground/plugins/policy.ts"
import { type EntrySource, type PluginSource, sourceFromText, sourceWords } from "#ground/plugins/source.ts"
import { idOf, type Installed, readRecords } from "#ground/plugins/store.ts"
import { digestsOf, type FileDigests, filesBelow, type Tree, treeDigest, writeFiles } from "#ground/plugins/tree.ts"
import { makePrivateFolder } from "#ground/settings/state-folder.ts"
import { systemIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { inspectPlugin, type PluginView } from "./inspect.ts"
import {
  fetchMarketplace,
  findEntry,
  folderOfMarketplace,
  type FoundEntry,
  marketplaceNamed,
  splitId,
} from "./marketplaces.ts"
import type { PluginContext } from "./plugin-context.ts"

export interface StagedPlugin {
  readonly id: string
  readonly name: string
  readonly marketplace?: string
  readonly source: PluginSource
  readonly pin: Pin
  readonly digest: string
  readonly files: FileDigests
  readonly view: PluginView
  readonly entry?: JsonObject
  readonly folder: string
  /** Those that it needs and that are not installed yet. */
  readonly needs: readonly StagedPlugin[]
}

const mostNeeds = 30

/** A name, `name@marketplace`, or a source. */
export async function stage(context: PluginContext, wanted: string): Promise<Result<StagedPlugin, string>> {
  const { name, marketplace } = splitId(wanted)
  const isId = nameShape.test(name) && (marketplace === undefined || nameShape.test(marketplace))
  if (isId) {
    const found = await findEntry(context, name, marketplace)
    return found.ok ? withNeeds(context, await stageEntry(context, found.value), new Set()) : found
  }
  const source = sourceFromText(wanted, context.setting.cwd)
  if (!source.ok) return failed(`${wanted} cannot be installed: ${source.failure}.`)
  return withNeeds(context, await stageSource(context, source.value), new Set())
}

/** The same plugin as it is at its source now; a marketplace is asked again first. */
export async function stageAgain(
  context: PluginContext,
  { name, marketplace, source }: Installed,
): Promise<Result<StagedPlugin, string>> {
  if (marketplace === undefined) return withNeeds(context, await stageSource(context, source, name), new Set())
  const known = marketplaceNamed(context, marketplace)
  if (!known.ok) return known
  const fresh = await fetchMarketplace(context, known.value.source, marketplace)
  if (!fresh.ok) return fresh
  const found = await findEntry(context, name, marketplace)
  return found.ok ? withNeeds(context, await stageEntry(context, found.value), new Set()) : found
}

export function drop({ folder, needs }: StagedPlugin): void {
  rmSync(folder, { recursive: true, force: true })
  for (const one of needs) drop(one)
}

async function stageSource(
  context: PluginContext,
  source: PluginSource,
  name?: string,
): Promise<Result<StagedPlugin, string>> {
  const refused = policyProblem(context.policy, undefined, source)
  if (refused !== undefined) return failed(refused)
  const fetched = await obtain(source, context.ports)
  if (!fetched.ok) return fetched
  const { tree, pin } = fetched.value
  return stageFiles(context, {
    tree,
    pin,
    source,
    folder: "folder" in source ? (source.folder ?? "") : "",
    ...optional("name", name),
  })
}

async function stageEntry(
  context: PluginContext,
  { marketplace, entry }: FoundEntry,
): Promise<Result<StagedPlugin, string>> {
  const found = await filesOf(context, marketplace, entry.source)
  if (!found.ok) return found
  return stageFiles(context, { ...found.value, name: entry.name, marketplace, entry: entry.written })
}

interface Fetched {
  readonly tree: Tree
  readonly pin: Pin
  readonly source: PluginSource
  /** Of the plugin, within the tree. */
  readonly folder: string
}

/** The entry's own source, or the marketplace's files as of the commit that its list is from. */
async function filesOf(context: PluginContext, market: string, source: EntrySource): Promise<Result<Fetched, string>> {
  if (source.kind !== "relative") {
    const fetched = await obtain(source, context.ports)
    return fetched.ok
      ? ok({ ...fetched.value, source, folder: "folder" in source ? (source.folder ?? "") : "" })
      : fetched
  }
  const known = marketplaceNamed(context, market)
  if (!known.ok) return known
  const from = known.value.source
  if (from.kind === "file")
    return failed(`The marketplace ${market} is a single file, so it has no folder ${sourceWords(source)}.`)
  const read = context.records()
  const commit = read.ok ? read.value.marketplaces[market]?.pin.commit : undefined
  const { file: _file, ...base } = from
  const whole: PluginSource =
    base.kind === "folder"
      ? { kind: "folder", path: folderOfMarketplace(base.path).root }
      : base.kind === "git"
        ? { ...base, ...optional("commit", commit) }
        : base
  const fetched = await obtain(whole, context.ports)
  if (!fetched.ok) return fetched
  const above = whole.kind === "git" || whole.kind === "archive" ? whole.folder : undefined
  const folder = [above, source.folder].filter((part) => part !== undefined && part !== "").join("/")
  const own: PluginSource =
    whole.kind === "folder"
      ? { kind: "folder", path: join(whole.path, folder) }
      : whole.kind === "npm"
        ? whole
        : { ...whole, folder }
  return ok({ ...fetched.value, source: own, folder })
}

interface Look extends Fetched {
  readonly name?: string
  readonly marketplace?: string
  readonly entry?: JsonObject
}

function stageFiles(
  context: PluginContext,
  { tree, pin, source, folder, name, marketplace, entry }: Look,
): Result<StagedPlugin, string> {
  const called = name ?? sourceWords(source)
  const files = filesBelow(tree, folder)
  if (!files.ok) return failed(`${called} cannot be installed: ${files.failure}.`)
  if (files.value.length === 0) return failed(`${called} cannot be installed: ${sourceWords(source)} has no files.`)
  const made = makePrivateFolder(join(context.staging, `plugin-${systemIds.uuid()}`))
  if (!made.ok) return made
  const place = made.value
  const root = join(place, "files")
  try {
    writeFiles(root, files.value)
  } catch (error) {
    rmSync(place, { recursive: true, force: true })
    return failed(`${called} cannot be installed: ${error instanceof Error ? error.message : String(error)}.`)
  }
  const usual = name ?? lastStep(source)
  const read = readPlugin(root, { ...optional("entry", entry), ...optional("name", usual) })
  if (!read.ok) {
    rmSync(place, { recursive: true, force: true })
    return failed(read.failure.replace(root, called))
  }
  const digests = digestsOf(files.value)
  const own = name ?? read.value.name
  return ok({
    id: idOf({ name: own, ...optional("marketplace", marketplace) }),
    name: own,
    ...optional("marketplace", marketplace),
    source,
    pin,
    digest: treeDigest(digests),
    files: digests,
    view: inspectPlugin(read.value),
    ...optional("entry", entry),
    folder: place,
    needs: [],
  })
}

/** A name for a plugin that says none. */
function lastStep(source: PluginSource): string | undefined {
  const text =
    source.kind === "npm" ? source.package : source.kind === "folder" ? source.path : (source.folder ?? source.url)
  const step = text
    .split("/")
    .at(-1)
    ?.replace(/\.(?:git|zip|tgz|tar|tar\.gz)$/, "")
  return step !== undefined && nameShape.test(step) ? step : undefined
}

/** Those of its own marketplace, unless it names another that is known here. */
async function withNeeds(
  context: PluginContext,
  staged: Result<StagedPlugin, string>,
  seen: Set<string>,
): Promise<Result<StagedPlugin, string>> {
  if (!staged.ok) return staged
  const one = staged.value
  seen.add(one.id)
  const records = readRecords(context.setting.state)
  const needs: StagedPlugin[] = []
  for (const { name, marketplace = one.marketplace } of one.view.plugin.dependencies) {
    const id = idOf({ name, ...optional("marketplace", marketplace) })
    if (seen.has(id) || (records.ok && id in records.value.plugins)) continue
    const found =
      seen.size >= mostNeeds ? failed("It needs too many others.") : await findEntry(context, name, marketplace)
    const need = found.ok ? await withNeeds(context, await stageEntry(context, found.value), seen) : found
    if (!need.ok) {
      drop({ ...one, needs })
      return failed(`${one.id} needs ${id}, which cannot be installed. ${need.failure}`)
    }
    needs.push(need.value)
  }
  return ok({ ...one, needs })
}
