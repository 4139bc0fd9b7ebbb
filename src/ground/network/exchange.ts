/** Requests that somebody watches, as with `--debug http`. */

import { sinceStart } from "#lib/clock.ts"
import type { FetchInit, Purpose } from "#lib/network.ts"
import { type ChosenRoute, overTheWire } from "./send.ts"

/** One request and how it was answered, without anything that could be secret. */
export interface HttpExchange {
  readonly why: Purpose["why"]
  readonly name?: string
  readonly method: string
  /** Without its query. */
  readonly url: string
  readonly status?: number
  readonly error?: string
  readonly ms: number
}

export type OnExchange = (exchange: HttpExchange) => void

export async function watchedSend(
  watchers: readonly OnExchange[],
  {
    purpose,
    url,
    init,
    way,
  }: { readonly purpose: Purpose; readonly url: URL; readonly init: FetchInit; readonly way: ChosenRoute },
): Promise<Response> {
  const begun = sinceStart()
  const { why, name } = purpose
  const report = (end: Pick<HttpExchange, "status" | "error">): void => {
    const asked = { why, ...(name !== undefined && { name }), method: init.method ?? "GET" }
    const exchange = { ...asked, url: `${url.origin}${url.pathname}`, ...end, ms: Math.round(sinceStart() - begun) }
    for (const watcher of watchers) watcher(exchange)
  }
  try {
    const response = await overTheWire(url, init, way)
    report({ status: response.status })
    return response
  } catch (error) {
    report({ error: error instanceof Error ? error.message : String(error) })
    throw error
  }
}
