/** How long what a server answered may be used again, by its own account. One connection is one login, so private answers stay private. */

import type { Clock } from "#lib/clock.ts"
import type { JsonObject, JsonValue } from "#lib/json.ts"
import type { McpOffer } from "./connection.ts"

export interface Freshness {
  /** Of a list, after each page: the shortest time counts. */
  readonly listed: (what: keyof McpOffer, page: JsonObject, isFirst: boolean) => void
  /** It turned out to be wrong, so it is read again before it is used for long. */
  readonly outdated: (what: keyof McpOffer) => void
  readonly isFresh: (what: keyof McpOffer) => boolean
  readonly keepResource: (uri: string, result: JsonObject, contents: readonly JsonValue[]) => void
  readonly resource: (uri: string) => readonly JsonValue[] | undefined
  readonly dropResource: (uri: string) => void
}

/** Nothing is believed for longer than a day. */
const longestMs = 24 * 60 * 60 * 1_000
/** A list that is stale at once is not read with every request for that. */
const shortestListMs = 60_000
const mostResources = 64

export function openFreshness(clock: Clock, tells: (what: keyof McpOffer) => boolean): Freshness {
  const until = new Map<keyof McpOffer, number>()
  const resources = new Map<string, { readonly until: number; readonly contents: readonly JsonValue[] }>()
  return {
    listed(what, { ttlMs }, isFirst) {
      if (typeof ttlMs !== "number") return void until.delete(what)
      const end = clock.now() + Math.min(Math.max(ttlMs, shortestListMs), longestMs)
      until.set(what, isFirst ? end : Math.min(end, until.get(what) ?? end))
    },
    outdated: (what) => void until.set(what, 0),
    // Who tells of changes is believed until then.
    isFresh: (what) => tells(what) || clock.now() < (until.get(what) ?? Number.POSITIVE_INFINITY),
    keepResource(uri, { ttlMs }, contents) {
      if (typeof ttlMs !== "number" || ttlMs <= 0) return
      resources.delete(uri)
      const [oldest] = resources.keys()
      if (resources.size >= mostResources && oldest !== undefined) resources.delete(oldest)
      resources.set(uri, { until: clock.now() + Math.min(ttlMs, longestMs), contents })
    },
    resource(uri) {
      const kept = resources.get(uri)
      return kept && clock.now() < kept.until ? kept.contents : undefined
    },
    dropResource: (uri) => void resources.delete(uri),
  }
}
