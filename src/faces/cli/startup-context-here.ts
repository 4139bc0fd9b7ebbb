/** The settings for a command without flags of its own; warnings and failures are printed. */

import { parseArguments } from "./flags/argv.ts"
import { type FlagName, flags } from "./flags/flags.ts"
import { processEnvironment, type RawEnvironment } from "#ground/settings/environment.ts"
import type { Io } from "./io.ts"
import { readSetting, type StartupContext } from "./startup-context.ts"

export async function settingHere(
  io: Io,
  env: RawEnvironment = processEnvironment(),
): Promise<StartupContext | undefined> {
  const none = parseArguments<FlagName>([], flags)
  const setting = none.ok ? await readSetting(none.value, undefined, "as kept", env) : undefined
  if (setting?.ok) {
    for (const warning of setting.value.warnings) io.warn(warning)
    return setting.value
  }
  io.fail(setting?.failure.message ?? "the settings cannot be read")
  return undefined
}
