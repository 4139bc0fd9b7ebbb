/** Whether telemetry is configured: all that a start without it loads. */

import type { StartupContext } from "#faces/cli/startup-context.ts"

export function isTelemetryOn({ environment, loaded }: Pick<StartupContext, "environment" | "loaded">): boolean {
  const { enableTelemetry, claudeTelemetry, otelDisabled, disableTelemetry, givenBy } = environment
  if (otelDisabled || disableTelemetry) return false
  if (enableTelemetry || claudeTelemetry) return true
  return givenBy.enableTelemetry === undefined && loaded.settings.telemetry?.enabled === true
}
