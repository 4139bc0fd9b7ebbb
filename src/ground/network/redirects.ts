/** Where an answer sends a request on, and what is sent there. */

import type { FetchInit } from "#lib/network.ts"

export interface Hop {
  readonly url: URL
  readonly init: FetchInit
}

const statuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const mostHops = 10

/** Undefined for an answer that is not a redirect. Throws as the runtime does when there are too many. */
export function nextHop(response: Response, { url, init }: Hop, hops: number): Hop | undefined {
  const location = response.headers.get("location")
  if (!statuses.has(response.status) || location === null) return undefined
  const next = URL.parse(location, url.href)
  if (!next || !/^https?:$/.test(next.protocol)) return undefined
  void response.body?.cancel()
  if (hops >= mostHops) throw new TypeError(`${url.host} redirects without end`)
  const method = (init.method ?? "GET").toUpperCase()
  const isDropped = response.status === 303 ? method !== "HEAD" : response.status < 303 && method === "POST"
  const headers = new Headers(init.headers)
  // A key is only for the machine it was meant for.
  if (next.origin !== url.origin) for (const name of secretHeaders) headers.delete(name)
  if (!isDropped) return { url: next, init: { ...init, headers } }
  for (const name of ["content-type", "content-length", "content-encoding"]) headers.delete(name)
  const { body: _body, ...rest } = init
  return { url: next, init: { ...rest, method: "GET", headers } }
}

const secretHeaders = ["authorization", "cookie", "proxy-authorization", "x-api-key"]

/** The answer at the end of a chain. */
export function followed(response: Response, hops: number): Response {
  if (hops > 0) Object.defineProperty(response, "redirected", { value: true })
  return response
}
