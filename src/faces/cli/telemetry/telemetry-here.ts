/** Telemetry as it is configured here. Loaded only where it is switched on. */

import { join } from "node:path"
import { childEnvironment } from "#ground/settings/child-environment.ts"
import { runKeyHelper } from "#ground/settings/key-helper.ts"
import { configure } from "#ground/telemetry/configure.ts"
import { telemetryPurpose } from "#ground/telemetry/http-sink.ts"
import { openTelemetry, type Telemetry } from "#ground/telemetry/telemetry.ts"
import type { TelemetryChoice } from "#ground/telemetry/choice.ts"
import type { StartupContext } from "#faces/cli/startup-context.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { isObject, type JsonValue, objectIn } from "#lib/json.ts"
import { optional } from "#lib/optional.ts"
import { stripControls } from "#lib/printable.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { version } from "#lib/version.ts"

export interface TelemetryHere {
  readonly telemetry: Telemetry
  /** What could not be done as configured. */
  readonly notes: readonly string[]
  /** Sends what is left, and says what was lost. */
  readonly close: (how?: string) => Promise<void>
}

/** `name`: of the file, where one is written and none is configured. */
export function telemetryHere(
  { environment, loaded, network, state }: StartupContext,
  face: "terminal" | "headless",
  name: string,
): TelemetryHere {
  const configured = configure(environment, loaded.settings.telemetry ?? {}, version)
  const notes = [...configured.problems]
  const choice = possible(configured.choice, notes, {
    face,
    refusal: (url) => network.refusal(telemetryPurpose, url),
  })
  const helper = loaded.settings.otelHeadersHelper
  const telemetry = openTelemetry({
    choice,
    network,
    clock: systemClock,
    ids: systemIds,
    file: join(state, "telemetry", `${name}.jsonl`),
    write: (text) => void process.stderr.write(text),
    ...optional("helper", helper === undefined ? undefined : headersBy(helper, childEnvironment(loaded.env))),
  })
  return {
    telemetry,
    notes,
    async close(how) {
      const lost = await telemetry.close(how === "handing over" ? "continue elsewhere" : "end")
      for (const line of lost) process.stderr.write(`${stripControls(line)}\n`)
    },
  }
}

/** The choice without what this face or the network does not allow. */
function possible(
  choice: TelemetryChoice,
  notes: string[],
  place: { readonly face: "terminal" | "headless"; readonly refusal: (url: string) => string | undefined },
): TelemetryChoice {
  const { traces, metrics, logs } = choice.exporters
  const all = new Set([...traces, ...metrics, ...logs])
  const isScreen = place.face === "terminal" && all.has("console")
  if (isScreen) notes.push("No telemetry goes to the console, which shows the conversation. Use the file exporter.")
  const offline = all.has("otlp") ? place.refusal(choice.endpoints.traces) : undefined
  if (offline !== undefined) notes.push(`No telemetry is sent to the collector. ${offline}`)
  const keep = (wanted: typeof traces): typeof traces =>
    wanted.filter((one) => !(one === "console" && isScreen) && !(one === "otlp" && offline !== undefined))
  return { ...choice, exporters: { traces: keep(traces), metrics: keep(metrics), logs: keep(logs) } }
}

/** Tokens that helpers print live for an hour at least. */
const helperMs = 29 * 60_000

export type HeaderValues = { readonly [name: string]: string }

export function headersBy(command: string, env: HeaderValues): () => Promise<Result<HeaderValues, string>> {
  let made: { readonly at: number; readonly headers: Promise<Result<HeaderValues, string>> } | undefined
  return () => {
    const now = systemClock.now()
    if (!made || now - made.at > helperMs) made = { at: now, headers: readHeaders(command, env) }
    const { headers } = made
    void headers.then((read) => {
      if (!read.ok && made?.headers === headers) made = undefined
    })
    return headers
  }
}

async function readHeaders(command: string, env: HeaderValues): Promise<Result<HeaderValues, string>> {
  const printed = await runKeyHelper(command, env, "otelHeadersHelper", "may print nothing")
  if (!printed.ok) return printed
  const value: JsonValue | undefined = objectIn(printed.value)
  if (!isObject(value)) return failed("otelHeadersHelper must print a JSON object of headers")
  const texts = Object.entries(value).flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : []))
  return ok(Object.fromEntries(texts))
}
