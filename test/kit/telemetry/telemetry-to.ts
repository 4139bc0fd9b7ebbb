/** Telemetry as it is configured by variables, for sessions in tests. */

import { readEnvironment } from "#ground/settings/environment.ts"
import { configure } from "#ground/telemetry/configure.ts"
import { openTelemetry, type Telemetry, type TelemetryParts } from "#ground/telemetry/telemetry.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { directNetwork } from "../direct-network.ts"

export function telemetryTo(
  url: string,
  env: { readonly [name: string]: string } = {},
  parts: Partial<TelemetryParts> = {},
): Telemetry {
  const variables = readEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: url, CODEWRIGHT_ENABLE_TELEMETRY: "1", ...env })
  const { choice, problems } = configure(variables, {}, "0.0.0")
  if (problems.length > 0) throw new Error(problems.join("\n"))
  return openTelemetry({
    choice,
    network: directNetwork(),
    clock: systemClock,
    ids: systemIds,
    file: "/nowhere",
    write: () => {},
    ...parts,
  })
}
