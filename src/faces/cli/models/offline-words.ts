/** Whether a session contacts nothing but its models, and how that is said. */

import type { LoadedSettings } from "#ground/settings/load.ts"
import type { Arguments } from "#faces/cli/flags/argv.ts"
import type { FlagName } from "#faces/cli/flags/flags.ts"

export const offlineWords = "Offline mode contacts nothing but the model."

export const isOffline = (
  args: Pick<Arguments<FlagName>, "has">,
  { settings }: Pick<LoadedSettings, "settings">,
): boolean => args.has("offline") || settings.offline === true
