/** The gates of a session: those in settings, and those that the flag adds. */

import { closed, gateNames } from "#agent/words/gates.ts"
import type { GateSettings } from "#ground/settings/settings.ts"
import { given } from "#lib/given.ts"
import { ok, type Result } from "#lib/result.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, usage } from "./failure.ts"
import type { FlagName } from "./flags.ts"

export type ChosenGates = Pick<SessionOptions, "gates" | "testing">

export function chosenGates(
  args: Pick<Arguments<FlagName>, "list">,
  settings: GateSettings = {},
): Result<ChosenGates, StartFailure> {
  const named = args.list("gates")
  const unknown = named.find((name) => !gateNames.some((gate) => gate === name))
  if (unknown !== undefined) return usage(`--gates takes ${gateNames.join(", ")}, not ${unknown}.`)
  const isOn = new Set<string>([...closed(settings), ...named])
  const { testFiles, testCommands } = settings
  const testing = { ...given("files", testFiles), ...given("commands", testCommands) }
  return ok({
    ...(isOn.size > 0 && {
      gates: Object.fromEntries(gateNames.flatMap((gate) => (isOn.has(gate) ? [[gate, true]] : []))),
    }),
    ...(Object.keys(testing).length > 0 && { testing }),
  })
}
