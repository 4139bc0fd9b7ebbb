/** Counters and histograms, added up in memory and read at intervals. */

import type { Entry } from "#agent/words/entry.ts"
import type { Retry } from "#agent/words/model.ts"
import { optional } from "#lib/optional.ts"
import { type MetricKind, metricKinds, type MetricName } from "./names.ts"
import { decisionWords } from "./records.ts"
import type { Attributes, Span } from "./span.ts"

export interface Point {
  readonly attributes: Attributes
  readonly start: number
  readonly at: number
  readonly sum: number
  readonly count: number
  /** Of a histogram. */
  readonly bounds?: readonly number[]
  readonly buckets?: readonly number[]
}

export interface Metric {
  readonly name: string
  readonly unit: string
  readonly description: string
  readonly kind: "counter" | "histogram"
  readonly isDelta: boolean
  readonly points: readonly Point[]
}

export interface Metrics {
  readonly add: (name: MetricName, value: number, attributes: Attributes) => void
  /** Everything so far, or since the last time where changes are wanted; nothing that has not changed. */
  readonly collect: (now: number) => readonly Metric[]
}

interface Series {
  readonly attributes: Attributes
  start: number
  sum: number
  count: number
  buckets: number[] | undefined
}

export interface MetricsOptions {
  readonly names: "codewright" | "claude_code"
  readonly isDelta: boolean
  /** On every point. */
  readonly common: () => Attributes
  readonly startedAt: number
}

export function openMetrics({ names, isDelta, common, startedAt }: MetricsOptions): Metrics {
  const all = new Map<MetricName, Map<string, Series>>()
  let since = startedAt
  let hasNews = false
  return {
    add(name, value, attributes) {
      const { bounds }: MetricKind = metricKinds[name]
      const known = all.get(name) ?? new Map<string, Series>()
      all.set(name, known)
      const key = JSON.stringify(attributes)
      let series = known.get(key)
      if (!series) {
        const buckets = bounds && Array.from({ length: bounds.length + 1 }, () => 0)
        known.set(key, (series = { attributes, start: since, sum: 0, count: 0, buckets }))
      }
      series.sum += value
      series.count++
      const found = bounds?.findIndex((bound) => value <= bound) ?? -1
      const at = found === -1 ? (bounds?.length ?? 0) : found
      if (series.buckets) series.buckets[at] = (series.buckets[at] ?? 0) + 1
      hasNews = true
    },
    collect(now) {
      if (!hasNews) return []
      hasNews = false
      const metrics = [...all].map(([name, known]): Metric => {
        const { claude, kind, unit, meaning, bounds }: MetricKind = metricKinds[name]
        return {
          name: (names === "claude_code" ? claude : undefined) ?? name,
          unit,
          description: meaning,
          kind,
          isDelta,
          points: [...known.values()].map((series) => pointOf(series, common(), bounds, now)),
        }
      })
      if (isDelta) {
        all.clear()
        since = now
      }
      return metrics
    },
  }
}

const pointOf = (series: Series, common: Attributes, bounds: readonly number[] | undefined, at: number): Point => ({
  attributes: { ...common, ...series.attributes },
  start: series.start,
  at,
  sum: series.sum,
  count: series.count,
  ...(series.buckets && { bounds: bounds ?? [], buckets: [...series.buckets] }),
})

/** What a span that has ended adds. */
export function measureSpan({ add }: Metrics, span: Span, entry: Entry): void {
  const { attributes, name } = span
  const lasted = (span.end - span.start) / 1000
  const { "gen_ai.operation.name": operation, "error.type": error } = attributes
  if (name === "model.request") {
    const about: Attributes = {
      "gen_ai.operation.name": operation,
      "gen_ai.provider.name": attributes["gen_ai.provider.name"],
      "gen_ai.request.model": attributes["gen_ai.request.model"],
    }
    add("gen_ai.client.operation.duration", lasted, { ...about, ...optional("error.type", error) })
    if (entry.kind === "reply_end") measureUsage(add, entry, about)
  }
  if (name === "tool.call" && entry.kind === "result") measureCall(add, span, entry)
  if (name === "permission.wait") add("codewright.permission.wait", lasted, { answer: attributes["codewright.answer"] })
}

function measureUsage(add: Metrics["add"], entry: Entry & { readonly kind: "reply_end" }, about: Attributes): void {
  const { usage, model, costUsd } = entry
  const types = [
    ["input", usage.input_tokens],
    ["output", usage.output_tokens],
    ["cacheRead", usage.cache_read_input_tokens],
    ["cacheCreation", usage.cache_creation_input_tokens],
  ] as const
  for (const [type, tokens] of types) if (tokens > 0) add("codewright.token.usage", tokens, { type, model })
  if (costUsd !== undefined) add("codewright.cost.usage", costUsd, { model })
  const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
  add("gen_ai.client.token.usage", input, { ...about, "gen_ai.token.type": "input" })
  add("gen_ai.client.token.usage", usage.output_tokens, { ...about, "gen_ai.token.type": "output" })
}

function measureCall(add: Metrics["add"], { attributes }: Span, entry: Entry & { readonly kind: "result" }): void {
  const { tool, isError, durationMs } = entry
  add("codewright.tool.calls", 1, {
    tool_name: tool,
    decision: attributes["codewright.decision"] ?? "none",
    success: !isError,
  })
  add("gen_ai.execute_tool.duration", durationMs / 1000, {
    "gen_ai.tool.name": tool,
    ...optional("error.type", attributes["error.type"]),
  })
  for (const type of ["added", "removed"] as const) {
    const lines = attributes[`codewright.lines.${type}`]
    if (typeof lines === "number" && lines > 0) add("codewright.lines_of_code.count", lines, { type })
  }
}

/** What a command did, as far as its words say. */
export function measureCommand({ add }: Metrics, command: string): void {
  if (/\bgit\s+(?:-\S+\s+(?:\S+\s+)?)*commit\b/.test(command)) add("codewright.commit.count", 1, {})
  if (/\bgh\s+pr\s+create\b/.test(command)) add("codewright.pull_request.count", 1, {})
}

export function measureEntry({ add }: Metrics, entry: Entry): void {
  if (entry.kind === "compaction") add("codewright.compaction.count", 1, { trigger: entry.trigger })
  if (entry.kind !== "decision" || entry.behavior === "ask" || !editing.has(entry.tool)) return
  const { decision, source } = decisionWords(entry)
  add("codewright.code_edit_tool.decision", 1, { tool_name: entry.tool, decision, source })
}

const editing: ReadonlySet<string> = new Set(["Edit", "MultiEdit", "Write", "NotebookEdit"])

export const measureRetry = ({ add }: Metrics, { failure }: Retry): void =>
  add("codewright.request.retries", 1, { error_kind: failure.kind })
