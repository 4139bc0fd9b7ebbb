/** The official packages read what we send: from their own values they make the same JSON, and the same bytes live and from the log. */

import { expect, setDefaultTimeout, test } from "bun:test"
import {
  JsonLogsSerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufTraceSerializer,
} from "@opentelemetry/otlp-transformer"
import type { ReadableLogRecord } from "@opentelemetry/sdk-logs"
import { DataPointType, type MetricData, type ResourceMetrics } from "@opentelemetry/sdk-metrics"
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base"
import { encodeRequest, encodeSpan, openEncoder } from "#ground/telemetry/otlp.ts"
import { noContents } from "#ground/telemetry/span.ts"
import { traceOfLog } from "#ground/telemetry/trace-of-log.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { version } from "#lib/version.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says, write } from "../../kit/script.ts"
import { openCollector, spansIn } from "../../kit/telemetry/collector.ts"
import { telemetryTo } from "../../kit/telemetry/telemetry-to.ts"

setDefaultTimeout(60_000)

const schemaUrl = "https://opentelemetry.io/schemas/1.41.0"
// Whole objects of the packages have more than their serializers read.
const resource = { attributes: { "service.version": "0.0.0", "service.name": "codewright" }, schemaUrl } as never
const instrumentationScope = { name: "codewright", version, schemaUrl }

test("spans, log records and metrics, live and from the log", async () => {
  await using collector = openCollector()
  const telemetry = telemetryTo(collector.url)
  await using t = await openTestSession({
    telemetry,
    script: [calls(bash("exit 3"), write("a.txt", "one\n")), says("Done.")],
  })
  await t.prompt("go")
  await t.session.close()
  await telemetry.close()
  const body = (path: string): JsonObject => collector.received.find((one) => one.path === path)?.body ?? {}

  const traces = body("/v1/traces")
  const spans = spansIn(traces).map(readSpan)
  expect(spans.length).toBeGreaterThan(8)
  expect(written(JsonTraceSerializer.serializeRequest(spans))).toEqual(asTheirs(traces))
  const encoder = openEncoder()
  const kept = [...traceOfLog(t.id, { entries: t.entries(), agentLog: () => undefined }, noContents)].map((span) =>
    encodeSpan(span, encoder),
  )
  const fromLog = JSON.parse(
    encodeRequest("traces", { "service.version": "0.0.0", "service.name": "codewright" }, kept, encoder),
  )
  expect(ProtobufTraceSerializer.serializeRequest(sorted(spansIn(fromLog).map(readSpan)))).toEqual(
    ProtobufTraceSerializer.serializeRequest(sorted(spans)),
  )

  const logs = body("/v1/logs")
  const records = spansIn(logs, "resourceLogs", "scopeLogs", "logRecords")
  expect(records.length).toBeGreaterThan(8)
  expect(written(JsonLogsSerializer.serializeRequest(records.map(readRecord)))).toEqual(asTheirs(logs))

  const metrics = body("/v1/metrics")
  const read = spansIn(metrics, "resourceMetrics", "scopeMetrics", "metrics").map(readMetric)
  expect(read.length).toBeGreaterThan(8)
  const all: ResourceMetrics = { resource, scopeMetrics: [{ scope: instrumentationScope, metrics: read }] }
  expect(written(JsonMetricsSerializer.serializeRequest(all))).toEqual(asTheirs(metrics))
})

test("their reader finds in a partial success what ours does", () => {
  const answer = { partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } }
  const bytes = new TextEncoder().encode(JSON.stringify(answer))
  expect(JSON.parse(JSON.stringify(JsonTraceSerializer.deserializeResponse(bytes)))).toEqual(answer)
})

const sorted = (spans: readonly ReadableSpan[]): ReadableSpan[] =>
  spans.toSorted((a, b) => (a.spanContext().spanId < b.spanContext().spanId ? -1 : 1))

const written = (bytes: Uint8Array | undefined): JsonValue => stripped(JSON.parse(new TextDecoder().decode(bytes)))

/** They write small numbers of 64 bits as numbers, which every reader takes, too. */
const asTheirs = (value: JsonObject): JsonValue => stripped(value)

function stripped(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(stripped)
  if (!isObject(value)) return value
  const { flags: _flags, ...rest } = value
  const shown = Object.entries(rest).map(([key, inner]): [string, JsonValue] => [
    key,
    ["intValue", "asInt", "count", "sum", "asDouble"].includes(key) && !isObject(inner)
      ? Number(inner)
      : key === "bucketCounts" && Array.isArray(inner)
        ? inner.map(Number)
        : stripped(inner ?? null),
  ])
  // Ours say once where the schema is, theirs also inside the resource.
  return Object.fromEntries(shown.filter(([key]) => !("attributes" in value && key === "schemaUrl")))
}

const time = (value: JsonValue | undefined): [number, number] => {
  const nanoseconds = BigInt(String(value))
  return [Number(nanoseconds / 1_000_000_000n), Number(nanoseconds % 1_000_000_000n)]
}

const attributes = ({ attributes: pairs }: JsonObject): { [name: string]: string | number | boolean | string[] } =>
  Object.fromEntries((pairs as unknown as JsonObject[]).map(({ key, value }) => [String(key), plain(value)]))

function plain(value: JsonValue | undefined): never {
  const [kind, inner] = Object.entries(isObject(value) ? value : {})[0] ?? []
  if (kind === "intValue") return Number(inner) as never
  if (kind !== "arrayValue" || !isObject(inner)) return inner as never
  return (inner.values as unknown as JsonObject[]).map(plain) as never
}

function readSpan(span: JsonObject): ReadableSpan {
  const { traceId, spanId, parentSpanId, status } = span
  const context = { traceId: String(traceId), traceFlags: 1 }
  return {
    name: String(span.name),
    kind: Number(span.kind) - 1,
    spanContext: () => ({ ...context, spanId: String(spanId) }),
    ...(parentSpanId !== undefined && { parentSpanContext: { ...context, spanId: String(parentSpanId) } }),
    startTime: time(span.startTimeUnixNano),
    endTime: time(span.endTimeUnixNano),
    status: status as never,
    attributes: attributes(span),
    links: [],
    events: [],
    duration: [0, 0],
    ended: true,
    resource,
    instrumentationScope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

const readRecord = (record: JsonObject): ReadableLogRecord => ({
  hrTime: time(record.timeUnixNano),
  hrTimeObserved: time(record.observedTimeUnixNano),
  spanContext: { traceId: String(record.traceId), spanId: String(record.spanId), traceFlags: 1 },
  severityText: String(record.severityText),
  severityNumber: Number(record.severityNumber),
  body: plain(record.body),
  eventName: String(record.eventName),
  resource,
  instrumentationScope,
  attributes: attributes(record),
  droppedAttributesCount: 0,
})

function readMetric(metric: JsonObject): MetricData {
  const { sum, histogram } = metric
  const held = isObject(sum) ? sum : isObject(histogram) ? histogram : {}
  const points = (held.dataPoints as unknown as JsonObject[]).map((point) => ({
    startTime: time(point.startTimeUnixNano),
    endTime: time(point.timeUnixNano),
    attributes: attributes(point),
    value: isObject(sum)
      ? Number(point.asInt ?? point.asDouble)
      : {
          buckets: {
            boundaries: point.explicitBounds as unknown as number[],
            counts: (point.bucketCounts as unknown as string[]).map(Number),
          },
          sum: Number(point.sum),
          count: Number(point.count),
        },
  }))
  const isWhole = (held.dataPoints as unknown as JsonObject[]).every((point) => point.asDouble === undefined)
  return {
    descriptor: {
      name: String(metric.name),
      description: String(metric.description),
      unit: String(metric.unit),
      valueType: isWhole ? 0 : 1,
    },
    // Theirs begin at 0.
    aggregationTemporality: Number(held.aggregationTemporality) - 1,
    dataPointType: isObject(sum) ? DataPointType.SUM : DataPointType.HISTOGRAM,
    ...(isObject(sum) && { isMonotonic: true }),
    dataPoints: points,
  } as never
}
