/** Turns a plugin on or off in a settings file. */

import { type RuleFile, rulePlace, rulePlaces } from "#ground/settings/save.ts"
import { setSetting } from "#ground/settings/set.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { isObject } from "#lib/json.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

export type PluginScope = "user" | "project" | "local"

const destinations: { readonly [scope in PluginScope]: RuleFile } = {
  user: "user settings",
  project: "project settings",
  local: "local settings",
}

/** Returns the file. */
export function setEnabled(
  { cwd, state, home }: Pick<StartupContext, "cwd" | "state" | "home">,
  id: string,
  scope: PluginScope,
  value: boolean | undefined,
): Result<string, string> {
  const place = rulePlace(destinations[scope], { root: cwd, state, home })
  const set = setSetting({ ...place, key: "enabledPlugins", steps: ["enabledPlugins", id], value })
  return set.ok ? ok(place.file) : failed(set.failure)
}

/** From every file of ours that names it. */
export function forgetEnabled(
  { cwd, state, home, loaded }: Pick<StartupContext, "cwd" | "state" | "home" | "loaded">,
  id: string,
): readonly string[] {
  const problems: string[] = []
  for (const destination of Object.values(destinations)) {
    const layers = loaded.layers.filter(
      ({ name, value }) =>
        name === destination && isObject(value.enabledPlugins) && Object.hasOwn(value.enabledPlugins, id),
    )
    for (const place of rulePlaces(destination, { root: cwd, state, home })) {
      if (!layers.some(({ file }) => file === place.file)) continue
      const set = setSetting({ ...place, key: "enabledPlugins", steps: ["enabledPlugins", id], value: undefined })
      if (!set.ok) problems.push(set.failure)
    }
  }
  return problems
}
