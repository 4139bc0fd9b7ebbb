/** The installed plugins that settings turn on: each exactly as it was when the user agreed to it, or not at all. */

import { join } from "node:path"
import { pluginAgentFiles } from "#ground/extensions/agent-files.ts"
import { markdownAt } from "#ground/extensions/find.ts"
import { type KeptResult, statesOf } from "#ground/extensions/kept-result.ts"
import { type Plugin, readPlugin } from "#ground/extensions/plugins.ts"
import { policyProblem } from "#ground/plugins/policy.ts"
import {
  changedFile,
  type Installed,
  pluginsFolder,
  type PluginRecords,
  readRecords,
  stampedPaths,
  stampOf,
} from "#ground/plugins/store.ts"
import { systemClock } from "#lib/clock.ts"
import type { JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { forConsent } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { pluginFiles } from "#session/adapters/command-files.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { namedMarketplaces, policyOf } from "./marketplaces-here.ts"

export interface EnabledPlugins {
  readonly plugins: readonly { readonly id: string; readonly plugin: Plugin }[]
  readonly problems: readonly { readonly plugin: string; readonly message: string }[]
  readonly notes: readonly string[]
}

/** Reads and compares all that is needed, and keeps the result where nothing is wrong. */
export function verifyPlugins(setting: StartupContext, ids: readonly string[], kept: KeptPlugins): EnabledPlugins {
  const sinceMs = systemClock.now()
  const records = readRecords(setting.state)
  if (!records.ok) return { plugins: [], problems: [{ plugin: "plugins", message: records.failure }], notes: [] }
  const plugins: { readonly id: string; readonly plugin: Plugin }[] = []
  const problems: { readonly plugin: string; readonly message: string }[] = []
  const missing = ids.filter((id) => !Object.hasOwn(records.value.plugins, id))
  const paths = ids.flatMap((id) => pathsOf(setting.state, records.value.plugins[id]))
  const states = statesOf(paths, "own")
  for (const id of ids) {
    const installed = records.value.plugins[id]
    if (!installed) continue
    const used = usable(setting, records.value, id, installed)
    if (used.ok) plugins.push({ id, plugin: used.value })
    else problems.push({ plugin: id, message: used.failure })
  }
  const notes = missing.length === 0 ? [] : [missingWords(missing)]
  if (problems.length === 0)
    kept.result.write({ key: kept.key, paths, states, sinceMs, value: { plugins, notes } as unknown as JsonObject })
  return { plugins, problems, notes }
}

export interface KeptPlugins {
  readonly result: KeptResult
  readonly key: string
}

function pathsOf(state: string, installed: Installed | undefined): readonly string[] {
  if (!installed) return []
  const root = join(pluginsFolder(state), installed.folder)
  return stampedPaths(installed.files).map((path) => (path === "" ? root : `${root}/${path}`))
}

function missingWords(ids: readonly string[]): string {
  const [first = ""] = ids.map(forConsent)
  return `Enabled in settings but not installed: ${ids.map(forConsent).join(", ")}. Install with: codewright plugin install ${first}`
}

function usable(
  setting: StartupContext,
  records: PluginRecords,
  id: string,
  installed: Installed,
): Result<Plugin, string> {
  const { marketplace } = installed
  const source =
    marketplace === undefined
      ? installed.source
      : namedMarketplaces(setting, records).all.find(({ name }) => name === marketplace)?.source
  const refused = policyProblem(policyOf(setting), marketplace, source)
  if (refused !== undefined) return failed(`The plugin ${id} is not used. ${refused}`)
  if (!installed.isApproved)
    return failed(
      `The plugin ${id} is not used: nobody agreed yet to what it runs. To see it: codewright plugin details ${id}. To agree: codewright plugin enable ${id}`,
    )
  const root = join(pluginsFolder(setting.state), installed.folder)
  const stamp = stampOf(root, installed.files)
  const isSame = stamp === installed.stamp
  const changed = isSame ? undefined : changedFile(root, installed.files)
  if (changed !== undefined) return failed(changedWords(id, changed))
  const read = readPlugin(root, { name: installed.name, ...optional("entry", installed.entry) })
  if (!read.ok || isSame) return read
  const added = readByModel(read.value).find(
    (path) => !Object.hasOwn(installed.files, path.slice(read.value.root.length + 1)),
  )
  return added === undefined ? ok(read.value) : failed(changedWords(id, added))
}

/** Whatever would reach a prompt; configuration files are among those that were installed. */
const readByModel = (plugin: Plugin): readonly string[] => [
  ...pluginFiles(plugin).flatMap(({ path }) => path ?? []),
  ...pluginAgentFiles([plugin]).files.map(({ path }) => path),
  ...plugin.styles.flatMap(markdownAt).map(({ path }) => path),
  ...plugin.hooks.map(({ file }) => file),
]

export const changedWords = (id: string, file: string): string =>
  `The plugin ${id} is not used: ${file} is not as it was installed. To install it again: codewright plugin install ${id}`
