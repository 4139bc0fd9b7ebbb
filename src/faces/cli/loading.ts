/** What a run loads from disk: everything, the chosen sources, settings alone, or nothing. The managed policy always counts. */

import type { HookText } from "#ground/settings/hooks.ts"
import { isProjectSource, parseSettingSources, type SettingSource } from "#ground/settings/sources.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Arguments } from "./flags/argv.ts"
import type { FlagName } from "./flags/flags.ts"

export interface Loading {
  /** Whose settings files; all when absent. */
  readonly settings?: readonly SettingSource[]
  /** Whose memory files, commands, skills, agents, styles and servers; all when absent. */
  readonly extensions?: readonly SettingSource[]
  /** Whether hooks of settings files run and the user's shell is set up as they know it. */
  readonly customised: boolean
  readonly savedKey: boolean
}

export function loadingOf(args: Pick<Arguments<FlagName>, "has" | "value">): Result<Loading, string> {
  const written = args.value("setting-sources")
  const chosen = written === undefined ? undefined : parseSettingSources(written)
  if (chosen && !chosen.ok) return chosen
  const sources = chosen?.value
  if (args.has("bare")) return ok({ settings: [], extensions: [], customised: false, savedKey: false })
  if (args.has("safe-mode"))
    return ok({ ...(sources && { settings: sources }), extensions: [], customised: false, savedKey: true })
  return ok({ ...(sources && { settings: sources, extensions: sources }), customised: true, savedKey: true })
}

/** What was given for this very run, and the policy's, run in any case. */
export const hooksLoaded = (hooks: readonly HookText[], { customised }: Loading): readonly HookText[] =>
  customised ? hooks : hooks.filter(({ source }) => source !== "user settings" && !isProjectSource(source))
