/** What a server measures, sent to a collector where telemetry is switched on: the same figures that /metrics has. */

import { childEnvironment } from "#ground/settings/child-environment.ts"
import { configure } from "#ground/telemetry/configure.ts"
import { openHttpSink, telemetryPurpose } from "#ground/telemetry/http-sink.ts"
import { isTelemetryOn } from "#faces/cli/start.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { type Measured, measuredRequest } from "#ground/telemetry/measured.ts"
import { ok } from "#lib/result.ts"
import { version } from "#lib/version.ts"
import { headersBy } from "./telemetry-here.ts"

/** Undefined where nothing is to be sent. The returned function ends it, with what it measures last. */
export function sendMeasured(
  { environment, loaded, network }: Pick<StartupContext, "environment" | "loaded" | "network">,
  measure: () => Promise<readonly Measured[]>,
  report: (text: string) => void,
): (() => Promise<void>) | undefined {
  if (!isTelemetryOn({ environment, loaded })) return undefined
  const { choice, problems } = configure(environment, loaded.settings.telemetry ?? {}, version)
  if (!choice.exporters.metrics.includes("otlp")) return undefined
  for (const problem of problems) report(problem)
  const url = choice.endpoints.metrics
  const refusal = network.refusal(telemetryPurpose, url)
  if (refusal !== undefined) {
    report(`No telemetry is sent to the collector. ${refusal}`)
    return undefined
  }
  const helper = loaded.settings.otelHeadersHelper
  const helped = helper === undefined ? async () => ok({}) : headersBy(helper, childEnvironment(loaded.env))
  const send = openHttpSink({
    ...choice,
    url,
    async headers() {
      const more = await helped()
      return more.ok ? ok({ ...choice.headers.metrics, ...more.value }) : more
    },
    network: () => network,
    clock: systemClock,
    ids: systemIds,
  })
  const startedAt = systemClock.now()
  const ending = new AbortController()
  let isLost = false

  async function once(): Promise<void> {
    const all = await measure()
    const text = measuredRequest(choice.resource, { all, startedAt, at: systemClock.now() })
    const end = await send(text, new AbortController().signal, ending.signal)
    if (end.kind === "lost" && !isLost) report(`Telemetry: figures did not reach ${new URL(url).origin}: ${end.why}.`)
    isLost = end.kind === "lost"
  }
  const running = (async () => {
    while (!ending.signal.aborted) {
      await systemClock.sleep(choice.metricsMs, ending.signal)
      await once().catch((error: unknown) => report(`Telemetry: figures could not be sent: ${String(error)}`))
    }
  })()
  return async () => {
    ending.abort()
    await running
  }
}
