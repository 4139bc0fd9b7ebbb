/** Collectors that are slow, gone or refuse: nothing waits for them, and exactly what is lost is said. */

import { expect, setDefaultTimeout, test } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import { type Clock, systemClock } from "#lib/clock.ts"
import type { JsonObject } from "#lib/json.ts"
import type { Telemetry } from "#ground/telemetry/telemetry.ts"
import { directNetwork } from "../../../kit/direct-network.ts"
import { openCollector } from "../../../kit/telemetry/collector.ts"
import { telemetryTo } from "../../../kit/telemetry/telemetry-to.ts"

setDefaultTimeout(60_000)

const onlyTraces = { OTEL_METRICS_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none" }

/** How long the end waits. */
const flushMs = 1_000
/** Pauses between attempts take no time; the end waits as long as a busy machine needs. */
const shorter = (ms: number): number => (ms === flushMs ? 30_000 : Math.min(ms, 5))
const impatient: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(shorter(ms), signal) }
/** Whatever has to be waited for at the end is over soon. */
const hasty: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms === flushMs ? 50 : ms, signal) }

let made = 0
/** One turn of a session: two spans, besides that of the session. */
function turn(telemetry: Telemetry, turns = 1): void {
  const trace = telemetry.follow({ sessionId: `11111111-2222-4333-8444-${String(++made).padStart(12, "0")}` })
  const stamp = (nth: number, at: number) => ({ uuid: `${made}-${nth}-${at}`, parentUuid: null, at })
  for (let nth = 0; nth < turns; nth++) {
    const turnId = `t${nth}`
    const request = { model: "m", messages: 1, digest: "", maxTokens: 1, thinking: "off", delivery: "stream" } as const
    const entries: readonly Entry[] = [
      { kind: "turn_start", turnId, ...stamp(nth, 1) },
      { kind: "request", ...request, summary: { attempt: 1, question: "" }, ...stamp(nth, 2) },
      { kind: "turn_end", turnId, reason: "completed", ...stamp(nth, 3) },
    ]
    for (const entry of entries) trace.onEntry(entry, "live")
  }
}

test("a batch that is refused for the moment is sent again, as long as the collector says", async () => {
  await using collector = openCollector((_request, nth) =>
    nth < 3 ? new Response("", { status: nth === 1 ? 503 : 429, headers: { "retry-after": "7" } }) : Response.json({}),
  )
  const pauses: number[] = []
  const clock: Clock = {
    ...systemClock,
    sleep(ms, signal) {
      if (ms !== flushMs) pauses.push(ms)
      return systemClock.sleep(shorter(ms), signal)
    },
  }
  const telemetry = telemetryTo(
    collector.url,
    { ...onlyTraces, OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "2", OTEL_EXPORTER_OTLP_COMPRESSION: "gzip" },
    { clock },
  )
  turn(telemetry)
  while (collector.received.length < 3) await Bun.sleep(2)
  expect(pauses).toEqual([7_000, 7_000])
  expect(await telemetry.close()).toEqual([])
  expect(collector.received.slice(0, 3).map(({ body }) => body)).toEqual(Array(3).fill(collector.received[0]?.body))
  expect(new Set(collector.spans().map(({ name }) => name))).toEqual(new Set(["model.request", "turn", "session"]))
})

const refusals: readonly (readonly [string, () => Response, string])[] = [
  ["400", () => new Response("no", { status: 400 }), "it answered 400"],
  ["503 for ever", () => new Response("", { status: 503 }), "it answered 503"],
  [
    "a redirect, which is not followed",
    () => Response.redirect("http://127.0.0.1:1/elsewhere", 307),
    "it answered 307, a redirect to http://127.0.0.1:1/elsewhere",
  ],
]
for (const [what, response, why] of refusals)
  test(`a collector that answers with ${what} loses what is said`, async () => {
    await using collector = openCollector(response)
    const telemetry = telemetryTo(collector.url, onlyTraces, { clock: impatient })
    turn(telemetry)
    expect(await telemetry.close()).toEqual([`Telemetry: 3 spans did not reach ${collector.url}/v1/traces: ${why}.`])
  })

test("of a partial success, the rejected part is lost", async () => {
  await using collector = openCollector(() =>
    Response.json({ partialSuccess: { rejectedSpans: "2", errorMessage: "too old" } }),
  )
  const telemetry = telemetryTo(collector.url, onlyTraces)
  turn(telemetry)
  expect(await telemetry.close()).toEqual([
    `Telemetry: 2 spans did not reach ${collector.url}/v1/traces: rejected: too old.`,
  ])
})

test("a dead collector is tried again, and then all of it is lost", async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") })
  const url = `http://127.0.0.1:${server.port}`
  await server.stop(true)
  const telemetry = telemetryTo(url, onlyTraces, { clock: impatient })
  turn(telemetry)
  const lost = await telemetry.close()
  expect(lost).toHaveLength(1)
  expect(lost[0]).toStartWith(`Telemetry: 3 spans did not reach ${url}/v1/traces: `)
})

test("a collector that hangs holds nothing up: what comes meanwhile waits, within its bound", async () => {
  const never = new Promise<Response>(() => {})
  await using collector = openCollector(() => never)
  const telemetry = telemetryTo(
    collector.url,
    { ...onlyTraces, OTEL_BSP_MAX_QUEUE_SIZE: "10", OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "5" },
    { clock: hasty },
  )
  turn(telemetry, 100)
  const lost = await telemetry.close()
  // 200 spans and the session: none was answered for.
  expect(lost).toEqual([expect.stringMatching(/^Telemetry: 201 spans did not reach /)])
  expect(collector.received.length).toBeLessThanOrEqual(1)
})

test("metrics are added up while a collector does not answer, and nothing of them is lost", async () => {
  let isUp = false
  await using collector = openCollector(() => (isUp ? Response.json({}) : new Response("", { status: 503 })))
  const telemetry = telemetryTo(
    collector.url,
    { OTEL_TRACES_EXPORTER: "none", OTEL_LOGS_EXPORTER: "none", OTEL_METRIC_EXPORT_INTERVAL: "5" },
    { clock: impatient },
  )
  turn(telemetry)
  while (collector.received.length < 2) await Bun.sleep(2)
  isUp = true
  turn(telemetry)
  await telemetry.close()
  const count = collector.metrics()["codewright.session.count"] as { readonly sum: JsonObject }
  expect(JSON.stringify(count.sum)).toContain('"asInt":"2"')
})

test("each connection is told to the session, and offline none is made", async () => {
  await using collector = openCollector()
  const told: unknown[] = []
  const telemetry = telemetryTo(collector.url, onlyTraces)
  telemetry.follow({ sessionId: "s", onConnection: (fact) => told.push(fact) })
  const port = Number(new URL(collector.url).port)
  expect(told).toEqual([{ why: "telemetry", host: "127.0.0.1", port }])
  await telemetry.close()
  const offline = telemetryTo(collector.url, onlyTraces, {
    network: directNetwork({ offline: "This session is offline." }),
    clock: impatient,
  })
  turn(offline)
  expect(await offline.close()).toEqual([expect.stringContaining("This session is offline.")])
  expect(collector.received).toEqual([])
})
