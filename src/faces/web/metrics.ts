/** What the server and its fleet do, in the text format of Prometheus. Names and labels are ours; nothing a user wrote is in it. */

import { readdirSync } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import { DatabaseLost } from "#lib/database.ts"
import { version } from "#lib/version.ts"
import type { FleetFigures, FleetStore } from "#fleet/store.ts"
import { plainHeaders } from "./responses.ts"
import type { StreamSlots } from "./stream-slots.ts"

export interface Metrics {
  /** An answer of the server, and how long it took. */
  readonly count: (status: number, ms: number) => void
  readonly answer: () => Promise<Response>
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

  async function look(): Promise<Figures | undefined> {
    try {
      const [fleet, { users }] = await Promise.all([store.figures(), store.spending.spent()])
      return { fleet, usd: [...users.values()].reduce((sum, { day }) => sum + day, 0) }
    } catch (error) {
      if (error instanceof DatabaseLost) return undefined
      throw error
    }
  }

  return {
    count(status, ms) {
      const kind = `${Math.floor(status / 100)}xx`
      answers.set(kind, (answers.get(kind) ?? 0) + 1)
      seconds += ms / 1000
    },
    async answer() {
      if (!last || Math.abs(clock.now() - last.at) >= freshMs) last = { at: clock.now(), figures: look() }
      const figures = await last.figures
      const text = [
        ...ofServer({ answers, seconds, startedAt, streams: parts.slots.open() }),
        ...metric("codewright_database_up", "gauge", "Whether the database answers.", [["", figures ? 1 : 0]]),
        ...(figures ? ofFleet(figures) : []),
      ].join("\n")
      const type = "text/plain; version=0.0.4; charset=utf-8"
      return new Response(`${text}\n`, { headers: { ...plainHeaders, "content-type": type } })
    },
  }
}

interface Figures {
  readonly fleet: FleetFigures
  readonly usd: number
}

type Sample = readonly [labels: string, value: number]

function ofServer(own: {
  readonly answers: ReadonlyMap<string, number>
  readonly seconds: number
  readonly startedAt: number
  readonly streams: number
}): readonly string[] {
  const count = [...own.answers].toSorted().map(([kind, n]): Sample => [`{status="${kind}"}`, n])
  const total = count.reduce((sum, [, n]) => sum + n, 0)
  const { user, system } = process.cpuUsage()
  return [
    ...metric("codewright_build_info", "gauge", "The version that runs.", [[`{version="${version}"}`, 1]]),
    ...metric("codewright_http_requests_total", "counter", "Answers of this server by status.", count),
    ...metric("codewright_http_request_duration_seconds", "summary", "How long answers took.", [
      ["_sum", own.seconds],
      ["_count", total],
    ]),
    ...metric("codewright_event_streams", "gauge", "Open event streams of this server.", [["", own.streams]]),
    ...metric("process_start_time_seconds", "gauge", "When this server was started.", [["", own.startedAt / 1000]]),
    ...metric("process_cpu_seconds_total", "counter", "Processor time of this server.", [["", (user + system) / 1e6]]),
    ...metric("process_resident_memory_bytes", "gauge", "Memory of this server.", [["", process.memoryUsage.rss()]]),
    ...metric("process_open_fds", "gauge", "Open descriptors of this server.", descriptors()),
  ]
}

function ofFleet({ fleet, usd }: Figures): readonly string[] {
  const stages = [...fleet.sessions].map(([stage, n]): Sample => [`{stage="${stage}"}`, n])
  return [
    ...metric("codewright_sessions", "gauge", "Sessions that are not over, by stage.", stages),
    ...metric("codewright_sessions_held", "gauge", "Sessions that a worker has.", [["", fleet.held]]),
    ...metric("codewright_approvals_open", "gauge", "What waits for a person.", [["", fleet.approvals]]),
    ...metric("codewright_approval_oldest_seconds", "gauge", "How long the oldest of it has waited.", [
      ["", fleet.oldestApprovalMs / 1000],
    ]),
    ...metric("codewright_workers", "gauge", "Workers that were heard of within a minute.", [["", fleet.workers]]),
    ...metric("codewright_worker_slots", "gauge", "How many sessions they run at a time.", [["", fleet.slots]]),
    ...metric("codewright_webhook_deliveries_pending", "gauge", "Deliveries that are not through.", [
      ["", fleet.deliveries],
    ]),
    ...metric("codewright_spent_usd_today", "gauge", "What sessions cost since midnight UTC.", [["", usd]]),
  ]
}

const metric = (name: string, type: string, help: string, samples: readonly Sample[]): readonly string[] =>
  samples.length === 0
    ? []
    : [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map(([labels, n]) => `${name}${labels} ${n}`)]

/** Only Linux tells. */
function descriptors(): readonly Sample[] {
  try {
    return [["", readdirSync("/proc/self/fd").length]]
  } catch {
    return []
  }
}
