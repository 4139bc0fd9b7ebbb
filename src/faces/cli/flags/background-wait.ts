/** How long a run that has its answer waits for background work. */

import { type BackgroundWait, usualWait } from "#faces/headless/background.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, usage } from "#faces/cli/failure.ts"
import type { FlagName } from "./flags.ts"
import { readNumber } from "./numbers.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"

/** The flag and the setting are about everything; the variable, as the ecosystem means it, is about agents. */
export function backgroundWait(
  args: Pick<Arguments<FlagName>, "value">,
  { environment, loaded }: Pick<StartupContext, "environment" | "loaded">,
): Result<BackgroundWait, StartFailure> {
  const flag = args.value("background-wait")
  const parsedFlag =
    flag === undefined ? undefined : readNumber("--background-wait", flag, { least: 0, most: 1e9, whole: false })
  if (parsedFlag && !parsedFlag.ok) return usage(parsedFlag.failure)
  const { backgroundWaitMs } = environment
  if (parsedFlag === undefined && backgroundWaitMs !== undefined)
    return ok({ ...usualWait, agentsMs: backgroundWaitMs === 0 ? Infinity : backgroundWaitMs })
  const seconds = parsedFlag?.value ?? loaded.settings.backgroundWaitSeconds
  return ok(seconds === undefined ? usualWait : { agentsMs: seconds * 1000, commandsMs: seconds * 1000 })
}
