/** Telemetry had traces and metrics of sessions; what the server itself measures could only be asked for at /metrics. */

import { expect, test } from "bun:test"
import { objectIn } from "#lib/json.ts"
import { openServed } from "../kit/fleet/served.ts"

interface Point {
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue: string } }[]
  readonly asInt?: string
  readonly asDouble?: number
}

interface Sent {
  readonly resourceMetrics: readonly [
    {
      readonly scopeMetrics: readonly [
        {
          readonly metrics: readonly {
            readonly name: string
            readonly gauge?: { readonly dataPoints: readonly Point[] }
            readonly sum?: { readonly dataPoints: readonly Point[]; readonly isMonotonic: boolean }
          }[]
        },
      ]
    },
  ]
}

test("a collector gets what /metrics says, with the headers that are configured, and once more at the end", async () => {
  const requests: { readonly path: string; readonly token: string | null; readonly body: Sent }[] = []
  await using collector = Bun.serve({
    port: 0,
    async fetch(request) {
      const body = objectIn(await request.text()) as unknown as Sent
      requests.push({ path: new URL(request.url).pathname, token: request.headers.get("x-token"), body })
      return Response.json({})
    },
  })
  await using served = await openServed(() => ({ content: "Done." }), {
    database: "any",
    env: {
      CODEWRIGHT_ENABLE_TELEMETRY: "1",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-token=collector",
      OTEL_METRIC_EXPORT_INTERVAL: "200",
      OTEL_TRACES_EXPORTER: "none",
      OTEL_LOGS_EXPORTER: "none",
    },
  })
  const named = (name: string) =>
    requests
      .filter(({ path }) => path === "/v1/metrics")
      .flatMap(({ body }) => body.resourceMetrics[0].scopeMetrics[0].metrics)
      .filter((metric) => metric.name === name)
  while (named("codewright_http_requests_total").length === 0) {
    await fetch(`${served.url}/metrics`, { headers: { authorization: `Bearer ${served.token}` } })
    await Bun.sleep(20)
  }
  expect(requests.every(({ token }) => token === "collector")).toBe(true)
  expect(named("codewright_database_up")[0]?.gauge?.dataPoints[0]).toMatchObject({ asInt: "1", attributes: [] })
  const answers = named("codewright_http_requests_total").at(-1)?.sum
  expect(answers).toMatchObject({ isMonotonic: true })
  expect(answers?.dataPoints[0]?.attributes[0]).toMatchObject({ key: "status" })
  expect(named("codewright_http_request_duration_seconds_sum")[0]?.sum).toBeDefined()
  const text = await (
    await fetch(`${served.url}/metrics`, { headers: { authorization: `Bearer ${served.token}` } })
  ).text()
  const last = requests.at(-1)?.body.resourceMetrics[0].scopeMetrics[0].metrics.map(({ name }) => name) ?? []
  for (const name of last) expect(text).toContain(`\n${name}`)
  const before = requests.length
  await served.end("SIGTERM")
  expect(requests.length).toBeGreaterThan(before)
}, 300_000)

test("nothing is sent where telemetry is not switched on, whatever else is set, and at the end neither", async () => {
  let requests = 0
  await using collector = Bun.serve({ port: 0, fetch: () => (requests++, Response.json({})) })
  const endpoint = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    OTEL_METRIC_EXPORT_INTERVAL: "20",
  }
  for (const more of [{}, { CODEWRIGHT_ENABLE_TELEMETRY: "1", DISABLE_TELEMETRY: "1" }]) {
    await using served = await openServed(() => ({ content: "Done." }), {
      database: "any",
      env: { ...endpoint, OTEL_METRICS_EXPORTER: "otlp", ...more },
    })
    // As long as some rounds take where it is switched on.
    for (let round = 0; round < 20; round++) {
      await fetch(`${served.url}/metrics`, { headers: { authorization: `Bearer ${served.token}` } })
      await Bun.sleep(20)
    }
    await served.end("SIGTERM")
    expect(served.stderr()).not.toContain("Telemetry")
  }
  expect(requests).toBe(0)
}, 300_000)
