/** The gates of a session: those in settings, those that a flag adds, without those that another one leaves open. */

import { closed, gateNames, type GateSources } from "#agent/words/gates.ts"
import type { LoadedSettings } from "#ground/settings/load.ts"
import type { GateSettings } from "#ground/settings/settings.ts"
import { isProjectSource, type SourceName } from "#ground/settings/sources.ts"
import { optional } from "#lib/optional.ts"
import { isObject } from "#lib/json.ts"
import { ok, type Result } from "#lib/result.ts"
import type { SessionOptions } from "#session/opening/options.ts"
import type { Arguments } from "./argv.ts"
import { type StartFailure, usage } from "#faces/cli/failure.ts"
import type { FlagName } from "./flags.ts"

export type ChosenGates = Pick<SessionOptions, "gates" | "openGates" | "gateSources" | "namedGates" | "testing">

/** `sources`: who asks for them; no flag changes what the policy of this machine says. */
export function chosenGates(
  args: Pick<Arguments<FlagName>, "list">,
  settings: GateSettings = {},
  sources: GateSources = {},
): Result<ChosenGates, StartFailure> {
  const [named, left] = [args.list("gates"), args.list("open-gates")]
  for (const [flag, names] of [["--gates", named] as const, ["--open-gates", left] as const]) {
    const unknown = names.find((name) => !gateNames.some((gate) => gate === name))
    if (unknown !== undefined) return usage(`${flag} takes ${gateNames.join(", ")}, not ${unknown}.`)
  }
  const kept = gateNames.find((gate) => sources[gate] === "policy" && left.includes(gate))
  if (kept !== undefined) return usage(`The gate ${kept} is set by the managed policy of this machine and stays on.`)
  const both = left.find((gate) => named.includes(gate))
  if (both !== undefined) return usage(`The gate ${both} cannot be in --gates and in --open-gates.`)
  const openGates = gateNames.filter((gate) => left.includes(gate))
  const namedGates = gateNames.filter((gate) => left.includes(gate) || named.includes(gate))
  const isOn = new Set<string>([...closed(settings).filter((gate) => !left.includes(gate)), ...named])
  const { testFiles, testCommands } = settings
  const testing = { ...optional("files", testFiles), ...optional("commands", testCommands) }
  return ok({
    ...(isOn.size > 0 && {
      gates: Object.fromEntries(gateNames.flatMap((gate) => (isOn.has(gate) ? [[gate, true]] : []))),
    }),
    ...(openGates.length > 0 && { openGates }),
    ...(namedGates.length > 0 && { namedGates }),
    ...(Object.keys(sources).length > 0 && { gateSources: sources }),
    ...(Object.keys(testing).length > 0 && { testing }),
  })
}

/** The strongest of those who ask for each: the policy, then the project, then the user. */
export function gateSourcesIn(layers: LoadedSettings["layers"]): GateSources {
  const asks = (gate: string, isOne: (name: SourceName) => boolean): boolean =>
    layers.some(({ name, value: { gates } }) => isOne(name) && isObject(gates) && gates[gate] === true)
  const sourceOf = (gate: string): GateSources[keyof GateSources] => {
    if (asks(gate, (name) => name === "managed")) return "policy"
    if (asks(gate, isProjectSource)) return "project"
    return asks(gate, () => true) ? "settings" : undefined
  }
  return Object.assign({}, ...gateNames.map((gate) => optional(gate, sourceOf(gate))))
}
