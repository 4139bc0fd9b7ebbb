/** The requests, their answers, and totals over them. */

import type { Usage } from "#agent/words/model.ts"
import type { JsonValue } from "#lib/json.ts"
import type { FaultName } from "./faults.ts"
import type { CacheBreak } from "./prefix-watch.ts"
import type { SimRequest } from "./request.ts"

export type RecordedOutcome =
  | { readonly kind: "reply"; readonly messageId: string; readonly stopReason: string; readonly usage: Usage }
  | { readonly kind: "refusal"; readonly status: number; readonly type: string; readonly message: string }
  | { readonly kind: "fault" }

export interface RecordedRequest {
  /** From 1. */
  readonly number: number
  readonly at: number
  readonly path: string
  /** Keys are replaced by `(hidden)`. */
  readonly headers: { readonly [name: string]: string | undefined }
  readonly body: JsonValue
  /** The same in the terms of Messages, whichever format it came in; absent if it could not be read. */
  readonly request?: SimRequest
  readonly answered: RecordedOutcome
  /** The fault that struck, also when there was a reply. */
  readonly fault?: FaultName
  /** Whether the answer was sent to its end, was broken off by a fault, or the client disconnected. */
  readonly outcome: "pending" | "sent" | "broken" | "client_left"
}

export interface Stats {
  readonly requests: number
  readonly refusals: number
  readonly faults: number
  readonly replies: number
  /** Replies after the scenario had run out. */
  readonly repliesAfterEnd: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheReadTokens: number
  readonly cacheWriteTokens: number
  readonly cacheBreaks: readonly CacheBreak[]
}

export interface Ledger {
  readonly requests: readonly RecordedRequest[]
  readonly next: () => number
  readonly record: (
    entry: Omit<RecordedRequest, "outcome">,
    more?: { readonly over?: boolean; readonly cacheBreak?: CacheBreak | undefined },
  ) => (outcome: RecordedRequest["outcome"]) => void
  readonly stats: () => Stats
  readonly clear: () => void
}

const noStats: Stats = {
  requests: 0,
  refusals: 0,
  faults: 0,
  replies: 0,
  repliesAfterEnd: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheBreaks: [],
}
const mostBreaks = 1_000

/** `keep` applies to the requests; totals are always kept. */
export function openLedger(keep: "all" | "none"): Ledger {
  const requests: RecordedRequest[] = []
  let stats = noStats
  let numbered = 0

  return {
    requests,
    next: () => ++numbered,
    record(entry, { over = false, cacheBreak } = {}) {
      stats = addTo(stats, entry, over, cacheBreak)
      if (keep === "none") return () => {}
      const index = requests.push({ ...entry, outcome: "pending" }) - 1
      return (outcome) => {
        const kept = requests[index]
        if (kept?.number === entry.number) requests[index] = { ...kept, outcome }
      }
    },
    stats: () => stats,
    clear() {
      requests.length = 0
      stats = noStats
    },
  }
}

function addTo(
  stats: Stats,
  { answered, fault }: Pick<RecordedRequest, "answered" | "fault">,
  over: boolean,
  cacheBreak: CacheBreak | undefined,
): Stats {
  const usage = answered.kind === "reply" ? answered.usage : undefined
  return {
    requests: stats.requests + 1,
    refusals: stats.refusals + (answered.kind === "refusal" ? 1 : 0),
    faults: stats.faults + (fault === undefined ? 0 : 1),
    replies: stats.replies + (answered.kind === "reply" ? 1 : 0),
    repliesAfterEnd: stats.repliesAfterEnd + (over ? 1 : 0),
    inputTokens: stats.inputTokens + (usage?.input_tokens ?? 0),
    outputTokens: stats.outputTokens + (usage?.output_tokens ?? 0),
    cacheReadTokens: stats.cacheReadTokens + (usage?.cache_read_input_tokens ?? 0),
    cacheWriteTokens: stats.cacheWriteTokens + (usage?.cache_creation_input_tokens ?? 0),
    cacheBreaks: cacheBreak ? [...stats.cacheBreaks, cacheBreak].slice(-mostBreaks) : stats.cacheBreaks,
  }
}
