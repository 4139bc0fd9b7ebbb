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

/** Removes secrets. Most texts are ids and names that come again and again, and masking looks for a hundred shapes. */
export type Mask = (text: string) => string

export function openMask(): Mask {
  const known = new Map<string, string>()
  return (text) => {
    if (text.length > longestKnown) return maskSecrets(text)
    const before = known.get(text)
    if (before !== undefined) return before
    const masked = maskSecrets(text)
    if (known.size >= mostKnown) known.clear()
    known.set(text, masked)
    return masked
  }
}

const longestKnown = 100
const mostKnown = 1000

export function encodeRequest(signal: Signal, resource: Attributes, items: readonly object[], mask: Mask): string {
  const [resources, scopes, name] = frames[signal]
  return JSON.stringify({
    [resources]: [
      {
        resource: { attributes: encodeAttributes(resource, mask), droppedAttributesCount: 0 },
        [scopes]: [{ scope: { name: "codewright", version }, [name]: items, schemaUrl: conventions }],
        schemaUrl: conventions,
      },
    ],
  })
}

export const encodeSpan = (span: Span, mask: Mask): object => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
  name: span.name,
  kind: span.kind === "client" ? 3 : 1,
  startTimeUnixNano: nanoseconds(span.start),
  endTimeUnixNano: nanoseconds(span.end),
  attributes: encodeAttributes(span.attributes, mask),
  droppedAttributesCount: 0,
  events: [],
  droppedEventsCount: 0,
  links: [],
  droppedLinksCount: 0,
  status: span.error
    ? { code: 2, ...(span.error.message !== undefined && { message: mask(span.error.message) }) }
    : { code: 0 },
})

const severities = { info: 9, warning: 13, error: 17 } as const

export const encodeLog = (record: LogRecord, mask: Mask): object => ({
  timeUnixNano: nanoseconds(record.at),
  observedTimeUnixNano: nanoseconds(record.at),
  severityNumber: severities[record.severity],
  severityText: record.severity.toUpperCase(),
  eventName: record.name,
  body: { stringValue: record.name },
  attributes: encodeAttributes(record.attributes, mask),
  droppedAttributesCount: 0,
  traceId: record.traceId,
  ...(record.spanId !== undefined && { spanId: record.spanId }),
})

export function encodeMetric({ name, unit, description, kind, isDelta, points }: Metric, mask: Mask): object {
  const aggregationTemporality = isDelta ? 1 : 2
  const dataPoints = points.map((point) => encodePoint(point, mask))
  const about = { name, unit, description }
  return kind === "counter"
    ? { ...about, sum: { dataPoints, aggregationTemporality, isMonotonic: true } }
    : { ...about, histogram: { dataPoints, aggregationTemporality } }
}

function encodePoint({ attributes, start, at, sum, count, bounds, buckets }: Point, mask: Mask): object {
  const common = {
    attributes: encodeAttributes(attributes, mask),
    startTimeUnixNano: nanoseconds(start),
    timeUnixNano: nanoseconds(at),
  }
  if (!buckets) return Number.isInteger(sum) ? { ...common, asInt: String(sum) } : { ...common, asDouble: sum }
  return { ...common, count: String(count), sum, bucketCounts: buckets.map(String), explicitBounds: bounds }
}

function encodeAttributes(attributes: Attributes, mask: Mask): readonly object[] {
  const encoded: object[] = []
  for (const key in attributes) {
    const value = attributes[key]
    if (value !== undefined) encoded.push({ key, value: encodeValue(value, mask) })
  }
  return encoded
}

function encodeValue(value: AttributeValue, mask: Mask): object {
  if (typeof value === "string") return { stringValue: mask(value) }
  if (typeof value === "boolean") return { boolValue: value }
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.map((one) => encodeValue(one, mask)) } }
}

/** Whole milliseconds, so that no digit is lost in a number of 64 bits. */
const nanoseconds = (ms: number): string => `${Math.round(ms)}000000`
