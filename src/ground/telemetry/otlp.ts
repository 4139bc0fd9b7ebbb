/** Spans, log records and metrics as OTLP in JSON: ids in hex, 64-bit numbers as strings, enums as numbers. No secret gets past here. */

import { maskSecrets } from "#lib/mask-secrets.ts"
import { version } from "#lib/version.ts"
import type { Metric, Point } from "./metrics.ts"
import { conventions } from "./span-attributes.ts"
import type { Attributes, AttributeValue, LogRecord, Span } from "./span.ts"

/** One request or one line of a file, whose items are already encoded. */
export type Signal = "traces" | "metrics" | "logs"

const frames: { readonly [S in Signal]: readonly [resource: string, scope: string, items: string] } = {
  traces: ["resourceSpans", "scopeSpans", "spans"],
  metrics: ["resourceMetrics", "scopeMetrics", "metrics"],
  logs: ["resourceLogs", "scopeLogs", "logRecords"],
}

/** Strings are built at once: objects that only become JSON cost as much as the rest of telemetry. */
export interface Encoder {
  /** Without secrets, as JSON. */
  readonly text: (text: string) => string
  /** Attributes that many items have are encoded once. */
  readonly shared: (attributes: Attributes) => string
}

/** Most texts are ids and names that come again and again, and masking looks for a hundred shapes. */
export function openEncoder(): Encoder {
  const known = new Map<string, string>()
  const together = new WeakMap<Attributes, string>()
  const encoder: Encoder = {
    text(text) {
      if (text.length > longestKnown) return JSON.stringify(maskSecrets(text))
      const before = known.get(text)
      if (before !== undefined) return before
      const masked = JSON.stringify(maskSecrets(text))
      if (known.size >= mostKnown) known.clear()
      known.set(text, masked)
      return masked
    },
    shared(attributes) {
      const before = together.get(attributes)
      if (before !== undefined) return before
      const encoded = attributesOf(attributes, encoder)
      together.set(attributes, encoded)
      return encoded
    },
  }
  return encoder
}

const longestKnown = 100
const mostKnown = 1000

export function encodeRequest(
  signal: Signal,
  resource: Attributes,
  items: readonly string[],
  encoder: Encoder,
): string {
  const [resources, scopes, name] = frames[signal]
  const about = `"attributes":[${attributesOf(resource, encoder)}],"droppedAttributesCount":0`
  const scope = `{"name":"codewright","version":${JSON.stringify(version)}}`
  return `{"${resources}":[{"resource":{${about}},"${scopes}":[{"scope":${scope},"${name}":[${items.join(",")}],"schemaUrl":"${conventions}"}],"schemaUrl":"${conventions}"}]}`
}

export function encodeSpan(span: Span, encoder: Encoder): string {
  const { traceId, spanId, parentSpanId, name, kind, start, end, error } = span
  const parent = parentSpanId === undefined ? "" : `,"parentSpanId":"${parentSpanId}"`
  const message = error?.message === undefined ? "" : `,"message":${encoder.text(error.message)}`
  return `{"traceId":"${traceId}","spanId":"${spanId}"${parent},"name":"${name}","kind":${kind === "client" ? 3 : 1},"startTimeUnixNano":"${nanoseconds(start)}","endTimeUnixNano":"${nanoseconds(end)}","attributes":[${allAttributes(span, encoder)}],"droppedAttributesCount":0,"events":[],"droppedEventsCount":0,"links":[],"droppedLinksCount":0,"status":{"code":${error ? 2 : 0}${message}}}`
}

const severities = {
  info: `"severityNumber":9,"severityText":"INFO"`,
  warning: `"severityNumber":13,"severityText":"WARNING"`,
  error: `"severityNumber":17,"severityText":"ERROR"`,
} as const

export function encodeLog(record: LogRecord, encoder: Encoder): string {
  const { at, name, severity, traceId, spanId } = record
  const time = nanoseconds(at)
  const around = spanId === undefined ? "" : `,"spanId":"${spanId}"`
  return `{"timeUnixNano":"${time}","observedTimeUnixNano":"${time}",${severities[severity]},"eventName":"${name}","body":{"stringValue":"${name}"},"attributes":[${allAttributes(record, encoder)}],"droppedAttributesCount":0,"traceId":"${traceId}"${around}}`
}

export function encodeMetric({ name, unit, description, kind, isDelta, points }: Metric, encoder: Encoder): string {
  const aggregationTemporality = isDelta ? 1 : 2
  const dataPoints = points.map((point) => encodePoint(point, encoder)).join(",")
  const about = `"name":"${name}","unit":${JSON.stringify(unit)},"description":${JSON.stringify(description)}`
  return kind === "counter"
    ? `{${about},"sum":{"dataPoints":[${dataPoints}],"aggregationTemporality":${aggregationTemporality},"isMonotonic":true}}`
    : `{${about},"histogram":{"dataPoints":[${dataPoints}],"aggregationTemporality":${aggregationTemporality}}}`
}

function encodePoint({ attributes, start, at, sum, count, bounds, buckets }: Point, encoder: Encoder): string {
  const common = `"attributes":[${attributesOf(attributes, encoder)}],"startTimeUnixNano":"${nanoseconds(start)}","timeUnixNano":"${nanoseconds(at)}"`
  if (!buckets) return `{${common},${Number.isInteger(sum) ? `"asInt":"${sum}"` : `"asDouble":${sum}`}}`
  const counts = buckets.map((bucket) => `"${bucket}"`).join(",")
  return `{${common},"count":"${count}","sum":${sum},"bucketCounts":[${counts}],"explicitBounds":${JSON.stringify(bounds)}}`
}

function allAttributes({ shared, attributes }: Pick<Span, "shared" | "attributes">, encoder: Encoder): string {
  // No name may come twice.
  for (const name in attributes) if (name in shared) return attributesOf({ ...shared, ...attributes }, encoder)
  const own = attributesOf(attributes, encoder)
  const others = encoder.shared(shared)
  return own === "" || others === "" ? own + others : `${others},${own}`
}

export function attributesOf(attributes: Attributes, encoder: Encoder): string {
  let encoded = ""
  for (const key in attributes) {
    const value = attributes[key]
    if (value === undefined) continue
    encoded += `${encoded === "" ? "" : ","}{"key":${JSON.stringify(key)},"value":${encodeValue(value, encoder)}}`
  }
  return encoded
}

function encodeValue(value: AttributeValue, encoder: Encoder): string {
  if (typeof value === "string") return `{"stringValue":${encoder.text(value)}}`
  if (typeof value === "boolean") return `{"boolValue":${value}}`
  if (typeof value === "number")
    return Number.isInteger(value) ? `{"intValue":"${value}"}` : `{"doubleValue":${JSON.stringify(value)}}`
  return `{"arrayValue":{"values":[${value.map((one) => encodeValue(one, encoder)).join(",")}]}}`
}

/** Whole milliseconds, so that no digit is lost in a number of 64 bits. */
export const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`
