/** Which plugins settings turn on. */

import { isObject } from "#lib/json.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

/** A plugin may also be on by a list of versions, which are not told apart here. */
export const isEnabled = ({ loaded }: Pick<StartupContext, "loaded">, id: string): boolean => {
  const value = loaded.settings.enabledPlugins?.[id]
  return value === true || Array.isArray(value)
}

export function enabledIds({ loaded }: Pick<StartupContext, "loaded">): readonly string[] {
  return Object.keys(loaded.settings.enabledPlugins ?? {}).filter((id) => isEnabled({ loaded }, id))
}

/** Which source decides; undefined if none says anything. */
export const enabledBy = ({ loaded }: Pick<StartupContext, "loaded">, id: string): string | undefined =>
  loaded.layers.find(({ value }) => isObject(value.enabledPlugins) && Object.hasOwn(value.enabledPlugins, id))?.name
