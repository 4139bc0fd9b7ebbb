/** The language servers that settings and plugins give a session, as written: they are read when one is needed. */

import { join } from "node:path"
import { pluginVariables, type Plugin } from "#ground/extensions/plugins.ts"
import { isLoaderVariable } from "#ground/settings/child-environment.ts"
import type { LoadedSettings } from "#ground/settings/load.ts"
import { isProjectSource } from "#ground/settings/sources.ts"
import { isObject } from "#lib/json.ts"
import type { LspChoice } from "#session/opening/options.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export interface LspSetting {
  /** Undefined where language servers are turned off. */
  readonly choice: LspChoice | undefined
  readonly warnings: readonly string[]
}

const choices = ["auto", "configured", "off"] as const

export async function lspSetting(
  { loaded, environment, cwd, state }: Pick<StartupContext, "loaded" | "environment" | "cwd" | "state">,
  plugins: readonly Plugin[],
): Promise<LspSetting> {
  const named = choices.find((choice) => choice === environment.languageServers)
  const wanted = named ?? loaded.settings.languageServers ?? "auto"
  const warnings =
    environment.languageServers === undefined || named
      ? []
      : [`CODEWRIGHT_LANGUAGE_SERVERS must be one of ${choices.join(", ")}; it is ignored.`]
  if (wanted === "off") return { choice: undefined, warnings }
  const own = writtenIn(loaded.layers, cwd)
  const brought = await pluginServers(plugins, state)
  return {
    choice: { written: [...own.written, ...brought.written], finds: wanted === "auto" },
    warnings: [...warnings, ...own.warnings, ...brought.warnings],
  }
}

interface WrittenServers {
  readonly written: LspChoice["written"]
  readonly warnings: readonly string[]
}

function writtenIn(layers: LoadedSettings["layers"], cwd: string): WrittenServers {
  const warnings: string[] = []
  const written = layers.flatMap(({ name: layer, file, value: { lsp } }) => {
    const source = isProjectSource(layer) ? ("project" as const) : ("settings" as const)
    return Object.entries(isObject(lsp) ? lsp : {}).flatMap(([name, value]) => {
      const env = isObject(value) && isObject(value.env) ? Object.keys(value.env) : []
      const loading = source === "project" ? env.filter(isLoaderVariable) : []
      if (loading.length === 0) return [{ name, source, file: file ?? layer, base: cwd, value }]
      // A project's file starts programs as they are, without loading others into them.
      warnings.push(
        `The language server ${name} is not used: it sets ${loading.join(" and ")}, which a project's file may not. Put it into your own settings if you want it.`,
      )
      return []
    })
  })
  return { written, warnings }
}

async function pluginServers(plugins: readonly Plugin[], state: string): Promise<WrittenServers> {
  if (plugins.length === 0) return { written: [], warnings: [] }
  const { readServersFile } = await import("#ground/lsp/server-config.ts")
  const read = plugins.map(({ name, root }) =>
    readServersFile(join(root, ".lsp.json"), {
      source: "plugin",
      base: root,
      prefix: `plugin:${name}:`,
      variables: pluginVariables({ root, data: join(state, "plugins", "data", name) }),
    }),
  )
  return {
    written: read.flatMap((servers) => (servers.ok ? servers.value : [])),
    warnings: read.flatMap((servers) => (servers.ok ? [] : [servers.failure])),
  }
}
