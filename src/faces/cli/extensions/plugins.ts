/** The plugins of a run: folders that whoever started it named, so they count like flags. */

import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import type { WrittenServer } from "#ground/mcp/config-files.ts"
import { type Plugin, pluginVariables, readPlugin } from "#ground/extensions/plugins.ts"
import type { HookSource } from "#kits/hooks/config.ts"
import { optional } from "#lib/optional.ts"
import type { PluginsLook } from "#session/opening/options.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface Plugins {
  readonly all: readonly Plugin[]
  readonly hooks: readonly HookSource[]
  readonly servers: readonly WrittenServer[]
  /** Undefined where none was named. */
  readonly look: PluginsLook | undefined
  readonly warnings: readonly string[]
}

export const noPlugins: Plugins = { all: [], hooks: [], servers: [], look: undefined, warnings: [] }

/** One that cannot be used is left out, and said: its host pairs the message with its path. */
export function findPlugins(args: Pick<Arguments<FlagName>, "list">, setting: StartupContext): Plugins {
  const named = [
    ...args.list("plugin-dir").map((path) => ({ path, servers: true })),
    ...args.list("plugin-dir-no-mcp").map((path) => ({ path, servers: false })),
  ]
  if (named.length === 0) return noPlugins
  const found = new Map<string, { readonly plugin: Plugin; readonly path: string; readonly servers: boolean }>()
  const problems: PluginsLook["problems"][number][] = []
  for (const [index, { path: written, servers }] of named.entries()) {
    const path = resolve(setting.cwd, written)
    const read = readPlugin(path)
    const twin = read.ok ? found.get(read.value.name) : undefined
    const wrong = read.ok
      ? twin && twin.path !== path && `The plugin ${path} has the same name as ${twin.path}: ${read.value.name}.`
      : read.failure
    if (typeof wrong === "string") problems.push({ plugin: `inline[${index}]`, path, message: wrong })
    else if (read.ok) {
      found.set(read.value.name, { plugin: read.value, path, servers })
      problems.push(...read.value.problems.map((message) => ({ plugin: read.value.name, message })))
    }
  }
  const loaded = [...found.values()]
  return {
    all: loaded.map(({ plugin }) => plugin),
    hooks: setting.loaded.hooksOff("user settings") ? [] : loaded.flatMap(({ plugin }) => hooksOf(plugin, setting)),
    servers: loaded.flatMap(({ plugin, servers }) => (servers ? serversOf(plugin, setting) : [])),
    look: {
      loaded: loaded.map(({ plugin: { name, version }, path }) => ({ name, path, ...optional("version", version) })),
      problems,
    },
    warnings: problems.map(({ message }) => message),
  }
}

const hooksOf = (plugin: Plugin, setting: StartupContext): readonly HookSource[] =>
  plugin.hooks.map(({ file, hooks }) => ({
    source: `plugin ${plugin.name}`,
    file,
    isProject: false,
    hooks,
    plugin: placeOf(plugin, setting),
  }))

const serversOf = (plugin: Plugin, setting: StartupContext): readonly WrittenServer[] =>
  Object.entries(plugin.servers).map(([name, value]) => ({
    name: `plugin:${plugin.name}:${name}`,
    source: "plugin",
    file: join(plugin.root, ".mcp.json"),
    value,
    plugin: pluginVariables(placeOf(plugin, setting)),
  }))

/** The folder is made only for a plugin that may want it. */
function placeOf({ name, root }: Plugin, { state }: StartupContext): { readonly root: string; readonly data: string } {
  const data = join(state, "plugins", "data", name)
  mkdirSync(data, { recursive: true, mode: 0o700 })
  return { root, data }
}
