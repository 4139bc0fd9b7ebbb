/**
 * Downloads one document: the host is resolved once, the connection goes to exactly that address, and every redirect
 * is judged again.
 */

import { type ConnectionFailure, type HttpAnswer, lookedUpByProxy } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { WebAddress } from "./addresses.ts"
import { acceptedEncodings, announcedBytes, readBody } from "./body.ts"
import type { WebFailure } from "./failure.ts"
import { isLoopbackName } from "#lib/host-names.ts"
import { isIp } from "#lib/ip.ts"
import { type Media, type MediaKind, mediaKind, parseMedia, sniffedKind } from "./media.ts"
import { systemResolve } from "./resolve.ts"
import type { Route } from "./route.ts"

/** Whatever its status. */
export interface Download {
  /** After redirects. */
  readonly address: WebAddress
  readonly status: number
  readonly statusText: string
  readonly media: Media
  readonly kind: Exclude<MediaKind, "unknown">
  readonly bytes: Buffer
}

/** Addresses of one host that are tried before it counts as unreachable. */
const mostTries = 4

export async function download(route: Route, url: string, signal: AbortSignal): Promise<Result<Download, WebFailure>> {
  const first = route.policy.judgeUrl(url)
  if (!first.ok) return failed({ kind: "refused", refusal: first.failure })
  if (signal.aborted) return failed({ kind: "aborted" })
  const { milliseconds } = route.limits
  const limit = new AbortController()
  const cancel = route.clock.after(milliseconds, () => limit.abort())
  const result = await follow(route, first.value, AbortSignal.any([signal, limit.signal]))
  cancel()
  if (result.ok) return result
  if (signal.aborted) return failed({ kind: "aborted" })
  if (!limit.signal.aborted) return result
  return failed({ kind: "timed_out", host: first.value.host, seconds: Math.round(milliseconds / 1000) })
}

async function follow(route: Route, first: WebAddress, signal: AbortSignal): Promise<Result<Download, WebFailure>> {
  const located = await locate(route, first, signal)
  if (!located.ok) return located
  const ips = located.value
  const seen = new Set<string>()
  let address = first
  for (;;) {
    const refusal = route.policy.judgeResolved(address, ips)
    if (refusal) return failed({ kind: "refused", refusal })
    const answered = await ask(route, address, ips, signal)
    if (!answered.ok) return answered
    const response = answered.value
    const target = targetOf(response, address)
    if (target === undefined) return read(route, address, response)
    response.destroy()
    const next = route.policy.judgeUrl(target)
    if (!next.ok) return failed({ kind: "refused", refusal: next.failure, redirectedFrom: address.url })
    if (next.value.host !== address.host)
      return failed({ kind: "moved", url: address.url, target: next.value.url, status: response.statusCode ?? 0 })
    // Without cookies the same address gives the same answer, so a circle never ends.
    seen.add(address.url)
    if (seen.has(next.value.url) || seen.size > route.limits.redirects)
      return failed({ kind: "redirects", url: first.url, count: seen.size })
    address = next.value
  }
}

/** How long a name may take that a proxy looks up as well: behind one, names of the internet are often unknown. */
const proxiedLookupMs = 2_000

/** A host that is an IP address is not resolved. Behind a proxy, a name that is not known here is left to it. */
export async function locate(
  { resolve = systemResolve, network, clock }: Pick<Route, "resolve" | "network" | "clock">,
  { host, url }: WebAddress,
  signal: AbortSignal,
): Promise<Result<readonly string[], WebFailure>> {
  if (isIp(host)) return ok([host])
  if (isLoopbackName(host)) return ok(["127.0.0.1", "::1"])
  if (network.proxyOf(url) !== undefined) {
    const late = new AbortController()
    const cancel = clock.after(proxiedLookupMs, () => late.abort())
    const found = await resolve(host, AbortSignal.any([signal, late.signal]))
    cancel()
    return ok(found.ok ? found.value : [])
  }
  const found = await resolve(host, signal)
  if (!found.ok) return failed({ kind: "unresolved", host, why: found.failure })
  return found.value.length > 0 ? found : failed({ kind: "unresolved", host, why: "the name has no address" })
}

async function ask(
  route: Route,
  address: WebAddress,
  ips: readonly string[],
  signal: AbortSignal,
): Promise<Result<HttpAnswer, WebFailure>> {
  const headers = { ...route.headers, "accept-encoding": acceptedEncodings }
  const timing = { clock: route.clock, connectMilliseconds: route.limits.connectMilliseconds }
  let last: ConnectionFailure = { when: "before", why: "the name has no address" }
  for (const ip of addressesToTry(route, address, ips)) {
    const response = await route.network.request(route.purpose, { address, ip, headers, signal, ...timing })
    if (response.ok) return response
    last = response.failure
    if (last.when === "after" || signal.aborted) break
  }
  return failed({ kind: last.when === "before" ? "unreachable" : "broken", host: address.host, why: last.why })
}

/** A proxy is asked once, by name: it chooses the address. */
export const addressesToTry = (
  { network }: Pick<Route, "network">,
  { url }: WebAddress,
  ips: readonly string[],
): readonly string[] => (network.proxyOf(url) === undefined ? [...new Set(ips)].slice(0, mostTries) : [lookedUpByProxy])

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

function targetOf({ statusCode = 0, headers }: HttpAnswer, { url }: WebAddress): string | undefined {
  if (headers.location === undefined || !redirectStatuses.has(statusCode)) return undefined
  // What cannot be joined is handed on as it is, to be refused by name.
  return URL.parse(headers.location, url)?.href ?? headers.location
}

async function read(
  { limits }: Route,
  address: WebAddress,
  response: HttpAnswer,
): Promise<Result<Download, WebFailure>> {
  const { url, host } = address
  const status = response.statusCode ?? 0
  const media = parseMedia(response.headers["content-type"])
  const notText = (): Result<never, WebFailure> =>
    failed({
      kind: "not_text",
      url,
      mediaType: media.type || "of an unknown type",
      bytes: announcedBytes(response) || undefined,
    })
  const expected = mediaKind(media)
  if (expected === "binary") {
    response.destroy()
    return notText()
  }
  const body = await readBody(response, limits.bytes)
  if (!body.ok)
    return failed(
      body.failure.kind === "too_large"
        ? { kind: "too_large", url, limit: limits.bytes }
        : { kind: "broken", host, why: body.failure.why },
    )
  const kind = expected === "unknown" ? sniffedKind(body.value) : expected
  if (kind === "binary") return notText()
  return ok({ address, status, statusText: response.statusMessage ?? "", media, kind, bytes: body.value })
}
