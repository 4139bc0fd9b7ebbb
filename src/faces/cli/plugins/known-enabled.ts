/**
 * The installed plugins that settings turn on. They are verified again only if one of their files was touched, or what
 * settings and records say of them.
 */

import { join } from "node:path"
import { openKeptResult, statesOf } from "#ground/extensions/kept-result.ts"
import type { JsonValue } from "#lib/json.ts"
import { isObject } from "#lib/json.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { enabledBy, enabledIds } from "./enabled-ids.ts"
import type { EnabledPlugins } from "./enabled.ts"

export async function enabledPlugins(setting: StartupContext): Promise<EnabledPlugins> {
  // Without the user's own settings, only what the policy turns on counts.
  const ids = enabledIds(setting).filter((id) => setting.loading.customised || enabledBy(setting, id) === "managed")
  const result = openKeptResult(join(setting.state, "cache", "enabled-plugins.json"), "own")
  const key = keyOf(setting, ids)
  const known = result.read(key)
  const plugins = known && knownPlugins(known.value, known.states)
  return plugins ?? (await import("./enabled.ts")).verifyPlugins(setting, ids, { result, key })
}

/** All that decides which plugins are used, besides their files. */
function keyOf({ state, cwd, loaded }: StartupContext, ids: readonly string[]): string {
  const { strictKnownMarketplaces, blockedMarketplaces, extraKnownMarketplaces } = loaded.settings
  const records = statesOf([join(state, "plugins", "plugins.json")], "followed").digest
  const named = extraKnownMarketplaces && { cwd, extraKnownMarketplaces }
  return JSON.stringify([state, ids, records, strictKnownMarketplaces, blockedMarketplaces, named])
}

/** Only this program writes there. */
function knownPlugins(value: JsonValue, states: string): EnabledPlugins | undefined {
  if (!isObject(value) || !Array.isArray(value.plugins) || !Array.isArray(value.notes)) return undefined
  const { plugins, notes } = value as unknown as Pick<EnabledPlugins, "plugins" | "notes">
  return { plugins: plugins.map(({ id, plugin }) => ({ id, plugin: { ...plugin, states } })), notes, problems: [] }
}
