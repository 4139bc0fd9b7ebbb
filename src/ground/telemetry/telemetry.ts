/** Telemetry of this process: follows sessions and sends what they do to where the user said. Nothing ever waits for it. */

import { appendFile, mkdir } from "node:fs/promises"
import { dirname } from "node:path"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { OnConnection, Network } from "#lib/network.ts"
import { optional } from "#lib/optional.ts"
import { ok, type Result } from "#lib/result.ts"
import type { Exporter, TelemetryChoice } from "./choice.ts"
import { followSession, type Outlets, type SessionTrace } from "./follow.ts"
import { openHttpSink, type SendText, telemetryPurpose } from "./http-sink.ts"
import { openLater } from "./later.ts"
import { openMetrics } from "./metrics.ts"
import { encodeLog, encodeMetric, encodeRequest, encodeSpan, type Encoder, openEncoder, type Signal } from "./otlp.ts"
import { openQueue, type Queue } from "./queue.ts"
import type { TracedLog } from "./spans.ts"
import { readTraceparent, traceIdOf } from "./trace-ids.ts"

export interface TracedSession {
  /** Of the whole tree. */
  readonly sessionId: string
  readonly agent?: TracedLog["agent"]
  /** The span of another program that the session is part of. */
  readonly traceparent?: string
  /** Told of the connections to the collector, for the log of the session. */
  readonly onConnection?: OnConnection
}

export interface Telemetry {
  readonly follow: (session: TracedSession) => SessionTrace
  /** Sends what is left, for a second at most. Returns what was lost, as sentences. */
  readonly close: (sessions?: "end" | "continue elsewhere") => Promise<readonly string[]>
}

export interface TelemetryParts {
  readonly choice: TelemetryChoice
  readonly network: Network
  readonly clock: Clock
  readonly ids: Ids
  /** For the file exporter, unless another is configured. */
  readonly file: string
  /** For the console exporter. */
  readonly write: (text: string) => void
  /** More headers, made by the user's helper. */
  readonly helper?: () => Promise<Result<{ readonly [name: string]: string }, string>>
}

const flushMs = 1_000

interface Pipe<T> {
  readonly add: (item: T) => void
  readonly isIdle: () => boolean
  readonly close: () => Promise<void>
  readonly lost: () => readonly string[]
}

export function openTelemetry(parts: TelemetryParts): Telemetry {
  const { choice, clock } = parts
  const roots = new Map<string, Pick<TracedLog, "traceId" | "parentSpanId" | "chains"> & { isSampled: boolean }>()
  const mains: SessionTrace[] = []
  const observers: OnConnection[] = []
  const network = parts.network.observedBy((fact) => observers.forEach((onConnection) => onConnection(fact)))
  const pipes = openPipes(parts, () => network)
  const later = openLater(clock)
  let sequence = 0
  const sessionIds = new Set<string>()
  const metrics =
    pipes.metrics &&
    openMetrics({
      names: choice.names,
      isDelta: choice.isDelta,
      startedAt: clock.now(),
      common: () => (choice.sessionInMetrics && sessionIds.size === 1 ? { "session.id": [...sessionIds][0] } : {}),
    })
  const collect = (): void => {
    for (const metric of metrics?.collect(clock.now()) ?? []) pipes.metrics?.add(metric)
  }
  let cancel = (): void => {}
  const tick = (): void => {
    // While a collector does not answer, everything goes on being added up.
    if (pipes.metrics?.isIdle()) collect()
    cancel = clock.after(choice.metricsMs, tick)
  }
  if (metrics) cancel = clock.after(choice.metricsMs, tick)
  const outlets: Outlets = {
    span: pipes.traces?.add,
    record: pipes.logs?.add,
    metrics,
    names: choice.names,
    sequence: () => sequence++,
  }

  function rootOf({ sessionId, traceparent }: TracedSession): NonNullable<ReturnType<typeof roots.get>> {
    const known = roots.get(sessionId)
    if (known) return known
    const parent = readTraceparent(traceparent)
    const traceId = parent?.traceId ?? traceIdOf(sessionId)
    const isSampled = parent ? parent.isSampled : isChosen(traceId, choice.share)
    const root = { traceId, chains: new Map(), isSampled, ...optional("parentSpanId", parent?.spanId) }
    roots.set(sessionId, root)
    return root
  }

  return {
    follow(session) {
      const { sessionId, agent, onConnection } = session
      const { isSampled, ...root } = rootOf(session)
      const log: TracedLog = { ...root, sessionId, contents: choice.contents, ...optional("agent", agent) }
      sessionIds.add(sessionId)
      const trace = later.deferred(followSession(log, isSampled, outlets))
      if (agent) return trace
      mains.push(trace)
      if (onConnection) {
        observers.push(onConnection)
        // The last connection is made when the log is closed already, so it is told now.
        for (const url of new Set(pipes.urls)) {
          const fact = parts.network.connectionTo(telemetryPurpose, url)
          if (fact) onConnection(fact)
        }
      }
      return trace
    },
    async close(sessions = "end") {
      observers.length = 0
      cancel()
      later.finish()
      const ended = sessions === "end" ? mains.flatMap((trace) => trace.session() ?? []) : []
      for (const span of ended) outlets.span?.(span)
      collect()
      const open = [pipes.traces, pipes.metrics, pipes.logs].filter((pipe) => pipe !== undefined)
      await Promise.all(open.map((pipe) => pipe.close()))
      return open.flatMap((pipe) => pipe.lost())
    },
  }
}

/** The same for every process of a trace. */
const isChosen = (traceId: string, share: number): boolean => Number.parseInt(traceId.slice(-13), 16) < share * 16 ** 13

function openPipes(parts: TelemetryParts, network: () => Network) {
  const { choice } = parts
  const encoder = openEncoder()
  const pipe = <T>(
    signal: Signal,
    encode: (item: T, encoder: Encoder) => string,
    delayMs: number,
  ): Pipe<T> | undefined => {
    const wanted = choice.exporters[signal]
    if (wanted.length === 0) return undefined
    const sinks = wanted.map((exporter) => sinkOf(exporter, signal, parts, network))
    const encoded = (items: readonly T[]): string =>
      encodeRequest(
        signal,
        choice.resource,
        items.map((item) => encode(item, encoder)),
        encoder,
      )
    const queues: readonly Queue<T>[] = sinks.map(({ send }) =>
      openQueue({
        clock: parts.clock,
        ...choice.queue,
        delayMs,
        send: (items, signals, hurry) => send(encoded(items), signals, hurry),
      }),
    )
    return {
      add: (item) => queues.forEach((queue) => queue.add(item)),
      isIdle: () => queues.every((queue) => queue.isIdle()),
      close: async () => void (await Promise.all(queues.map((queue) => queue.close(flushMs)))),
      lost: () =>
        queues.flatMap((queue, at) => {
          const losses = queue.losses()
          return losses ? [lossWords(signal, losses.count, sinks[at]?.place ?? "", losses.why)] : []
        }),
    }
  }
  const urls = (["traces", "metrics", "logs"] as const).flatMap((signal) =>
    choice.exporters[signal].includes("otlp") ? [new URL(choice.endpoints[signal]).origin] : [],
  )
  return {
    traces: pipe("traces", encodeSpan, choice.tracesMs),
    metrics: pipe("metrics", encodeMetric, 0),
    logs: pipe("logs", encodeLog, choice.logsMs),
    urls,
  }
}

const things = { traces: "span", metrics: "metric", logs: "log record" } as const

const lossWords = (signal: Signal, count: number, place: string, why: string): string =>
  `Telemetry: ${count} ${things[signal]}${count === 1 ? "" : "s"} did not reach ${place}: ${why}.`

function sinkOf(
  exporter: Exporter,
  signal: Signal,
  parts: TelemetryParts,
  network: () => Network,
): { readonly send: SendText; readonly place: string } {
  const { choice, clock, ids } = parts
  if (exporter === "otlp") {
    const url = choice.endpoints[signal]
    const own = choice.headers[signal]
    const headers = async (): Promise<Result<{ readonly [name: string]: string }, string>> => {
      const helped = (await parts.helper?.()) ?? ok({})
      return helped.ok ? ok({ ...own, ...helped.value }) : helped
    }
    const { compression, timeoutMs } = choice
    return { place: shownUrl(url), send: openHttpSink({ url, headers, compression, timeoutMs, network, clock, ids }) }
  }
  if (exporter === "file") {
    const file = choice.file ?? parts.file
    return { place: file, send: (text) => intoFile(file, text) }
  }
  return {
    place: "the console",
    async send(text) {
      parts.write(`${text}\n`)
      return { kind: "delivered" }
    },
  }
}

/** An address may contain a password. */
function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

const intoFile = async (file: string, text: string): ReturnType<SendText> => {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await appendFile(file, `${text}\n`, { mode: 0o600 })
    return { kind: "delivered" }
  } catch (error) {
    return { kind: "lost", why: error instanceof Error ? error.message : String(error) }
  }
}
