/** The status line that a plugin brings, for users who have set none. */

import { readPlugin } from "#ground/extensions/plugins.ts"
import { pluginVariables } from "#ground/extensions/plugin-variables.ts"
import { isObject } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import type { SessionAbout } from "#session/port/query.ts"
import { placeOf } from "#faces/cli/extensions/plugins.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import type { WantedStatusLine } from "#faces/cli/terminal/status-line.ts"

/** Of the first plugin that has one. Like hooks, it can be turned off. */
export function pluginStatusLine(
  setting: StartupContext,
  { plugins }: Pick<SessionAbout, "plugins">,
): WantedStatusLine | undefined {
  if (setting.loaded.hooksOff("user settings")) return undefined
  for (const { path } of plugins?.loaded ?? []) {
    const read = readPlugin(path)
    const line = read.ok ? read.value.settings.statusLine : undefined
    if (!read.ok || !isObject(line) || line.type !== "command" || typeof line.command !== "string") continue
    const { command, padding } = line
    const env = pluginVariables(placeOf(read.value, setting))
    return { command, env, ...optional("padding", typeof padding === "number" ? padding : undefined) }
  }
  return undefined
}
