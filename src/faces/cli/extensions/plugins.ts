/** The plugins of a run: folders that whoever started it named, so they count like flags, and installed ones that settings turn on. */

import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import type { WrittenServer } from "#ground/mcp/config-files.ts"
import { pluginVariables } from "#ground/extensions/plugin-variables.ts"
import type { Plugin } from "#ground/extensions/plugins.ts"
import type { HookSource } from "#kits/hooks/config.ts"
import { isObject, type JsonObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import type { PluginsOverview } from "#session/opening/options.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface Plugins {
  readonly all: readonly Plugin[]
  readonly hooks: readonly HookSource[]
  readonly servers: readonly WrittenServer[]
  /** For whoever starts language servers. */
  readonly languageServers: readonly PluginLanguageServer[]
  /** What a plugin sets where the user sets nothing. */
  readonly agent?: string
  /** Undefined where there are none. */
  readonly overview: PluginsOverview | undefined
  readonly warnings: readonly string[]
  /** What settings ask for and is not installed: said with what else is not used of the user's files. */
  readonly notes: readonly string[]
}

/** An entry of `.lsp.json`, as written, with what its variables mean. */
export interface PluginLanguageServer {
  readonly plugin: string
  readonly name: string
  readonly value: JsonObject
  readonly root: string
  readonly variables: { readonly [name: string]: string }
}

export const noPlugins: Plugins = {
  all: [],
  hooks: [],
  servers: [],
  languageServers: [],
  overview: undefined,
  warnings: [],
  notes: [],
}

interface LoadedPlugin {
  readonly plugin: Plugin
  readonly path: string
  readonly servers: boolean
}

/** Nothing is loaded where there are none. One that cannot be used is left out, and said: its host pairs the message with its path. */
export async function findPlugins(args: Pick<Arguments<FlagName>, "list">, setting: StartupContext): Promise<Plugins> {
  const named = [
    ...args.list("plugin-dir").map((path) => ({ path, servers: true })),
    ...args.list("plugin-dir-no-mcp").map((path) => ({ path, servers: false })),
  ]
  const isAnyEnabled = Object.values(setting.loaded.settings.enabledPlugins ?? {}).some((value) => value !== false)
  if (named.length === 0 && !isAnyEnabled) return noPlugins
  const found = new Map<string, LoadedPlugin>()
  const problems: PluginsOverview["problems"][number][] = []
  for (const [index, { path: written, servers }] of named.entries()) {
    const path = resolve(setting.cwd, written)
    const read = (await import("#ground/extensions/plugins.ts")).readPlugin(path)
    const twin = read.ok ? found.get(read.value.name) : undefined
    const wrong = read.ok
      ? twin && twin.path !== path && `The plugin ${path} has the same name as ${twin.path}: ${read.value.name}.`
      : read.failure
    if (typeof wrong === "string") problems.push({ plugin: `inline[${index}]`, path, message: wrong })
    else if (read.ok) {
      found.set(read.value.name, { plugin: read.value, path, servers })
      problems.push(
        ...[...read.value.problems, ...unfollowedWords(read.value)].map((message) => ({
          plugin: read.value.name,
          message,
        })),
      )
    }
  }
  const installed = isAnyEnabled
    ? await (await import("#faces/cli/plugins/known-enabled.ts")).enabledPlugins(setting)
    : undefined
  problems.push(...(installed?.problems ?? []))
  for (const { id, plugin } of installed?.plugins ?? []) {
    const twin = found.get(plugin.name)
    // What was named for this run goes before; two that settings turn on are a mistake.
    if (!twin) found.set(plugin.name, { plugin, path: plugin.root, servers: true })
    else if (!named.some(({ path }) => resolve(setting.cwd, path) === twin.path))
      problems.push({
        plugin: id,
        message: `The plugin ${id} is not used: ${twin.path} has the same name, ${plugin.name}.`,
      })
  }
  const brought = await broughtBy([...found.values()], problems, setting)
  return { ...brought, notes: installed?.notes ?? [] }
}

async function broughtBy(
  loaded: readonly LoadedPlugin[],
  problems: PluginsOverview["problems"],
  setting: StartupContext,
): Promise<Omit<Plugins, "notes">> {
  const isExact = loaded.some(({ plugin }) => Object.keys(plugin.portableServers).length > 0)
  const { exactServer } = isExact ? await import("#ground/extensions/portable-plugin.ts") : asWritten
  const agents = loaded.flatMap(({ plugin: { name, settings } }) =>
    typeof settings.agent === "string"
      ? [settings.agent.includes(":") ? settings.agent : `${name}:${settings.agent}`]
      : [],
  )
  return {
    all: loaded.map(({ plugin }) => ({ ...plugin, data: dataFolder(plugin, setting) })),
    hooks: setting.loaded.hooksOff("user settings") ? [] : loaded.flatMap(({ plugin }) => hooksOf(plugin, setting)),
    servers: loaded.flatMap(({ plugin, servers }) => (servers ? serversOf(plugin, setting, exactServer) : [])),
    languageServers: loaded.flatMap(({ plugin }) =>
      Object.entries(plugin.languageServers).flatMap(([name, value]) =>
        isObject(value)
          ? [
              {
                plugin: plugin.name,
                root: plugin.root,
                name,
                value,
                variables: pluginVariables(placeOf(plugin, setting)),
              },
            ]
          : [],
      ),
    ),
    ...optional("agent", agents[0]),
    overview: {
      loaded: loaded.map(({ plugin: { name, version }, path }) => ({ name, path, ...optional("version", version) })),
      problems,
    },
    warnings: problems.map(({ message }) => message),
  }
}

const asWritten = { exactServer: (server: JsonObject): JsonObject => server }

/** Once, by name: of installed plugins it was said when they were installed. */
const unfollowedWords = ({ name, notFollowed }: Plugin): readonly string[] =>
  notFollowed.length === 0 ? [] : [`Plugin ${name}: not supported yet: ${notFollowed.join(", ")}.`]

const hooksOf = (plugin: Plugin, setting: StartupContext): readonly HookSource[] =>
  plugin.hooks.map(({ file, hooks }) => ({
    source: `plugin ${plugin.name}`,
    file,
    isProject: false,
    hooks,
    plugin: placeOf(plugin, setting),
  }))

const serversOf = (
  plugin: Plugin,
  setting: StartupContext,
  exact: (server: JsonObject, place: PluginPlace) => JsonObject,
): readonly WrittenServer[] => [
  ...Object.entries(plugin.servers).map(([name, value]): WrittenServer => ({
    name: `plugin:${plugin.name}:${name}`,
    source: "plugin",
    file: join(plugin.root, ".mcp.json"),
    value,
    plugin: pluginVariables(placeOf(plugin, setting)),
  })),
  ...Object.entries(plugin.portableServers).flatMap(([name, value]): readonly WrittenServer[] =>
    isObject(value)
      ? [
          {
            name: `plugin:${plugin.name}:${name}`,
            source: "plugin",
            file: join(plugin.root, "mcp.json"),
            value: exact(value, placeOf(plugin, setting)),
            exact: true,
          },
        ]
      : [],
  ),
]

interface PluginPlace {
  readonly root: string
  readonly data: string
}

const dataFolder = ({ name }: Pick<Plugin, "name">, { state }: Pick<StartupContext, "state">): string =>
  join(state, "plugins", "data", name)

/** The folder is made only for a plugin that may want it. */
export function placeOf(
  { name, root }: Pick<Plugin, "name" | "root">,
  { state }: Pick<StartupContext, "state">,
): PluginPlace {
  const data = dataFolder({ name }, { state })
  mkdirSync(data, { recursive: true, mode: 0o700 })
  return { root, data }
}
