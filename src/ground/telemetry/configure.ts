/** Reads what is configured. What cannot be done is said, and the signal it concerns is left out. */

import { optional } from "#lib/optional.ts"
import { type Exporter, exporters, type TelemetryChoice } from "./choice.ts"
import type { Signal } from "./otlp.ts"

/** Variables of the environment, as they were read. */
export interface TelemetryVariables {
  readonly enableTelemetry: boolean
  readonly claudeTelemetry: boolean
  readonly otelEndpoint: string
  readonly otelTracesEndpoint: string | undefined
  readonly otelMetricsEndpoint: string | undefined
  readonly otelLogsEndpoint: string | undefined
  readonly otelHeaders: string | undefined
  readonly otelTracesHeaders: string | undefined
  readonly otelMetricsHeaders: string | undefined
  readonly otelLogsHeaders: string | undefined
  readonly otelProtocol: string
  readonly otelTracesProtocol: string | undefined
  readonly otelMetricsProtocol: string | undefined
  readonly otelLogsProtocol: string | undefined
  readonly otelCompression: string
  readonly otelTimeoutMs: number
  readonly otelTraces: string | undefined
  readonly otelMetrics: string | undefined
  readonly otelLogs: string | undefined
  readonly telemetryFile: string | undefined
  readonly otelServiceName: string | undefined
  readonly otelResource: string | undefined
  readonly otelMetricIntervalMs: number
  readonly otelLogsIntervalMs: number
  readonly otelTracesIntervalMs: number
  readonly otelQueue: number
  readonly otelBatch: number
  readonly otelSampler: string | undefined
  readonly otelSamplerArg: string | undefined
  readonly otelTemporality: string | undefined
  readonly otelLogPrompts: boolean
  readonly otelLogToolDetails: boolean
  readonly otelLogToolContent: boolean
  readonly otelMetricsSession: boolean
  /** The variables that were set, by field. */
  readonly givenBy: { readonly [field: string]: string }
}

/** The same from settings files of the user or the managed policy. */
export interface TelemetryDefaults {
  readonly enabled?: boolean
  readonly endpoint?: string
  readonly exporters?: readonly string[]
  readonly file?: string
  readonly prompts?: boolean
  readonly toolInput?: boolean
  readonly toolOutput?: boolean
}

export interface Configured {
  readonly choice: TelemetryChoice
  readonly problems: readonly string[]
}

const fields = {
  traces: { exporter: "otelTraces", protocol: "otelTracesProtocol", endpoint: "otelTracesEndpoint" },
  metrics: { exporter: "otelMetrics", protocol: "otelMetricsProtocol", endpoint: "otelMetricsEndpoint" },
  logs: { exporter: "otelLogs", protocol: "otelLogsProtocol", endpoint: "otelLogsEndpoint" },
} as const

const headerFields = { traces: "otelTracesHeaders", metrics: "otelMetricsHeaders", logs: "otelLogsHeaders" } as const

export function configure(env: TelemetryVariables, settings: TelemetryDefaults, version: string): Configured {
  const problems: string[] = []
  const isOurs = !env.claudeTelemetry
  const each = <T>(of: (signal: Signal) => T): { readonly [S in Signal]: T } => ({
    traces: of("traces"),
    metrics: of("metrics"),
    logs: of("logs"),
  })
  const endpoints = each((signal) => endpointOf(signal, env, settings))
  const chosen = each((signal) => exportersOf(signal, env, settings, endpoints[signal], problems))
  const common = pairsIn(env.otelHeaders, env.givenBy.otelHeaders, problems)
  const headers = each((signal) => {
    const field = headerFields[signal]
    return { ...common, ...pairsIn(env[field], env.givenBy[field], problems) }
  })
  const resource = pairsIn(env.otelResource, env.givenBy.otelResource, problems)
  const temporality = env.otelTemporality?.toLowerCase() ?? (isOurs ? "cumulative" : "delta")
  if (!["cumulative", "delta", "lowmemory"].includes(temporality))
    problems.push(`Metrics are sent as cumulative: ${env.givenBy.otelTemporality} must be cumulative or delta.`)
  return {
    problems,
    choice: {
      exporters: chosen,
      endpoints,
      headers,
      compression: env.otelCompression.toLowerCase() === "gzip" ? "gzip" : "none",
      timeoutMs: env.otelTimeoutMs,
      ...optional("file", env.telemetryFile ?? settings.file),
      names: isOurs ? "codewright" : "claude_code",
      contents: {
        prompts: isGiven(env, "otelLogPrompts") ? env.otelLogPrompts : (settings.prompts ?? false),
        toolInput: isGiven(env, "otelLogToolDetails") ? env.otelLogToolDetails : (settings.toolInput ?? false),
        toolOutput: isGiven(env, "otelLogToolContent") ? env.otelLogToolContent : (settings.toolOutput ?? false),
      },
      isDelta: temporality === "delta",
      metricsMs: env.otelMetricIntervalMs,
      logsMs: env.otelLogsIntervalMs,
      tracesMs: env.otelTracesIntervalMs,
      queue: { most: env.otelQueue, batch: Math.min(env.otelBatch, env.otelQueue) },
      share: shareOf(env, problems),
      resource: {
        "service.version": version,
        ...resource,
        "service.name": env.otelServiceName ?? resource["service.name"] ?? "codewright",
      },
      sessionInMetrics: env.otelMetricsSession,
    },
  }
}

const isGiven = ({ givenBy }: TelemetryVariables, field: string): boolean => givenBy[field] !== undefined

function endpointOf(signal: Signal, env: TelemetryVariables, { endpoint }: TelemetryDefaults): string {
  const own = env[fields[signal].endpoint]
  if (own !== undefined) return own
  const base = isGiven(env, "otelEndpoint") ? env.otelEndpoint : (endpoint ?? env.otelEndpoint)
  return `${base.replace(/\/+$/, "")}/v1/${signal}`
}

function exportersOf(
  signal: Signal,
  env: TelemetryVariables,
  settings: TelemetryDefaults,
  endpoint: string,
  problems: string[],
): readonly Exporter[] {
  const { exporter, protocol } = fields[signal]
  // Under its own variable Claude Code sends only what an exporter is named for.
  const isTheirs = env.claudeTelemetry && !env.enableTelemetry && settings.enabled !== true
  const usual = settings.exporters ?? (isTheirs ? ["none"] : ["otlp"])
  const words = env[exporter]?.split(",").map((word) => word.trim().toLowerCase()) ?? usual
  const known = exporters.filter((one) => words.includes(one))
  for (const word of words)
    if (word !== "" && !known.some((one) => one === word))
      problems.push(`No ${signal} go to ${JSON.stringify(word)}: ${env.givenBy[exporter]} takes ${list(exporters)}.`)
  if (!known.includes("otlp")) return known.filter((one) => one !== "none")
  const spoken = env[protocol] ?? env.otelProtocol
  const name = env.givenBy[protocol] ?? env.givenBy.otelProtocol
  const wrong =
    spoken !== "http/json"
      ? `${name} is ${spoken}, and only http/json is supported. Set it to http/json and the endpoint to the collector's HTTP port, usually 4318.`
      : endpointProblem(endpoint)
  if (wrong === undefined) return known.filter((one) => one !== "none")
  problems.push(`No ${signal} are sent: ${wrong}`)
  return known.filter((one) => one !== "none" && one !== "otlp")
}

function endpointProblem(endpoint: string): string | undefined {
  const protocol = URL.parse(endpoint)?.protocol
  if (protocol === "http:" || protocol === "https:") return undefined
  return `${endpoint} is not an http or https address. Set OTEL_EXPORTER_OTLP_ENDPOINT to one, such as http://localhost:4318.`
}

/** As the specification writes headers and attributes: percent-encoded pairs with commas between them. */
function pairsIn(
  text: string | undefined,
  variable: string | undefined,
  problems: string[],
): { readonly [name: string]: string } {
  const pairs: { [name: string]: string } = {}
  for (const part of (text ?? "").split(",")) {
    const at = part.indexOf("=")
    const name = part.slice(0, at).trim()
    const value = decoded(part.slice(at + 1).trim())
    if (at > 0 && name !== "" && value !== undefined) pairs[name] = value
    // The value may be a secret, so it is not repeated.
    else if (part.trim() !== "") problems.push(`${variable}: one of its pairs is not name=value and is left out.`)
  }
  return pairs
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}

function shareOf({ otelSampler, otelSamplerArg, givenBy }: TelemetryVariables, problems: string[]): number {
  const sampler = (otelSampler ?? "always_on").toLowerCase().replace(/^parentbased_/, "")
  if (sampler === "always_on") return 1
  if (sampler === "always_off") return 0
  const share = Number(otelSamplerArg ?? 1)
  if (sampler === "traceidratio" && share >= 0 && share <= 1) return share
  problems.push(
    sampler === "traceidratio"
      ? `All traces are sent: ${givenBy.otelSamplerArg} must be a number from 0 to 1.`
      : `All traces are sent: ${givenBy.otelSampler} must be always_on, always_off or traceidratio.`,
  )
  return 1
}

const list = (words: readonly string[]): string => `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`
