/** What the server and its fleet do, in the text format of Prometheus. Names and labels are ours; nothing a user wrote is in it. */

import { readdirSync } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { version } from "#lib/version.ts"
import type { FleetFigures } from "#fleet/store/lists.ts"
import type { FleetStore } from "#fleet/store.ts"
import { plainHeaders } from "./responses.ts"
import type { StreamSlots } from "./stream-slots.ts"

/** Figures at one moment, for whoever writes them down as text or as OTLP. */
export interface Measured {
  readonly name: string
  readonly type: "counter" | "gauge" | "summary"
  readonly about: string
  readonly samples: readonly MeasuredSample[]
}

interface MeasuredSample {
  readonly labels: { readonly [name: string]: string }
  readonly value: number
  /** Of a summary: which of its sums. */
  readonly sum?: "sum" | "count"
}

export interface Metrics {
  /** An answer of the server, and how long it took. */
  readonly count: (status: number, ms: number) => void
  readonly answer: () => Promise<Response>
  readonly measure: () => Promise<readonly Measured[]>
}

export const metricsPath = "/metrics"

/** Whoever asks more often gets the same figures. */
const freshMs = 1_000

export function openMetrics(parts: {
  readonly store: Pick<FleetStore, "figures" | "spending">
  readonly slots: Pick<StreamSlots, "open">
  readonly clock: Clock
}): Metrics {
  const { store, clock } = parts
  const startedAt = clock.now()
  const answers = new Map<string, number>()
  let seconds = 0
  let last: { readonly at: number; readonly figures: Promise<Figures | undefined> } | undefined

  async function readFigures(): Promise<Figures | undefined> {
    try {
      const [fleet, { users }] = await Promise.all([store.figures(), store.spending.spent()])
      return { fleet, usd: [...users.values()].reduce((sum, { day }) => sum + day, 0) }
    } catch (error) {
      if (error instanceof DatabaseLost) return undefined
      throw error
    }
  }

  async function measure(): Promise<readonly Measured[]> {
    if (!last || Math.abs(clock.now() - last.at) >= freshMs) last = { at: clock.now(), figures: readFigures() }
    const figures = await last.figures
    return [
      ...ofServer({ answers, seconds, startedAt, streams: parts.slots.open() }),
      metric("codewright_database_up", "gauge", "Whether the database answers.", [one(figures ? 1 : 0)]),
      ...(figures ? ofFleet(figures) : []),
    ]
  }

  return {
    count(status, ms) {
      const kind = `${Math.floor(status / 100)}xx`
      answers.set(kind, (answers.get(kind) ?? 0) + 1)
      seconds += ms / 1000
    },
    measure,
    async answer() {
      const text = (await measure()).flatMap(linesOf).join("\n")
      const type = "text/plain; version=0.0.4; charset=utf-8"
      return new Response(`${text}\n`, { headers: { ...plainHeaders, "content-type": type } })
    },
  }
}

interface Figures {
  readonly fleet: FleetFigures
  readonly usd: number
}

function ofServer(own: {
  readonly answers: ReadonlyMap<string, number>
  readonly seconds: number
  readonly startedAt: number
  readonly streams: number
}): readonly Measured[] {
  const count = [...own.answers].toSorted().map(([status, n]) => labeled({ status }, n))
  const total = count.reduce((sum, { value }) => sum + value, 0)
  const { user, system } = process.cpuUsage()
  return [
    metric("codewright_build_info", "gauge", "The version that runs.", [labeled({ version }, 1)]),
    metric("codewright_http_requests_total", "counter", "HTTP responses of this server, by status.", count),
    metric("codewright_http_request_duration_seconds", "summary", "How long answers took.", [
      { labels: {}, value: own.seconds, sum: "sum" },
      { labels: {}, value: total, sum: "count" },
    ]),
    metric("codewright_event_streams", "gauge", "Open event streams of this server.", [one(own.streams)]),
    metric("process_start_time_seconds", "gauge", "When this server was started.", [one(own.startedAt / 1000)]),
    metric("process_cpu_seconds_total", "counter", "Processor time of this server.", [one((user + system) / 1e6)]),
    metric("process_resident_memory_bytes", "gauge", "Memory of this server.", [one(process.memoryUsage.rss())]),
    metric("process_open_fds", "gauge", "Open descriptors of this server.", descriptors()),
  ]
}

function ofFleet({ fleet, usd }: Figures): readonly Measured[] {
  const stages = [...fleet.sessions].map(([stage, n]) => labeled({ stage }, n))
  return [
    metric("codewright_sessions", "gauge", "Sessions that are not over, by stage.", stages),
    metric("codewright_sessions_held", "gauge", "Sessions that a worker has.", [one(fleet.held)]),
    metric("codewright_approvals_open", "gauge", "What waits for a person.", [one(fleet.approvals)]),
    metric("codewright_approval_oldest_seconds", "gauge", "How long the oldest open approval has waited, in seconds.", [
      one(fleet.oldestApprovalMs / 1000),
    ]),
    metric("codewright_workers", "gauge", "Workers that were heard of within a minute.", [one(fleet.workers)]),
    metric("codewright_worker_slots", "gauge", "How many sessions all workers can run at once.", [one(fleet.slots)]),
    metric("codewright_webhook_deliveries_pending", "gauge", "Webhook deliveries that have not succeeded yet.", [
      one(fleet.deliveries),
    ]),
    metric("codewright_spent_usd_today", "gauge", "What sessions cost since midnight UTC.", [one(usd)]),
  ]
}

const metric = (name: string, type: Measured["type"], about: string, samples: readonly MeasuredSample[]): Measured => ({
  name,
  type,
  about,
  samples,
})

const one = (value: number): MeasuredSample => ({ labels: {}, value })

const labeled = (labels: MeasuredSample["labels"], value: number): MeasuredSample => ({ labels, value })

/** Labels are words of ours, so nothing in them has to be escaped. */
function linesOf({ name, type, about, samples }: Measured): readonly string[] {
  if (samples.length === 0) return []
  return [
    `# HELP ${name} ${about}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value, sum }) => {
      const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`)
      return `${name}${sum === undefined ? "" : `_${sum}`}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${value}`
    }),
  ]
}

/** Only Linux tells. */
function descriptors(): readonly MeasuredSample[] {
  try {
    return [one(readdirSync("/proc/self/fd").length)]
  } catch {
    return []
  }
}
