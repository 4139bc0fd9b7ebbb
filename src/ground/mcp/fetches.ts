/**
 * How requests to a server go out: to the address the user gave, or pinned to what was judged; answers are bounded
 * either way.
 */

import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { isLoopbackName } from "#lib/host-names.ts"
import { specialRange } from "#lib/ip.ts"
import { isObject } from "#lib/json.ts"
import type { Network } from "#lib/network.ts"
import type { Result } from "#lib/result.ts"
import { boundedAnswer } from "./bounded-answer.ts"
import { refusedCode, unreachedCode } from "./failures.ts"

/** Requests whose hosts are resolved once, and which may not reach every address. */
export interface PinnedRequests {
  /** Resolves an address without connecting; the result is used for what is sent later. */
  readonly judge: (url: string, signal: AbortSignal) => Promise<Result<void, PinnedProblem>>
  readonly send: (sending: {
    readonly url: string
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
    readonly signal: AbortSignal
  }) => Promise<Result<Response, PinnedProblem>>
}

export interface PinnedProblem {
  readonly kind: "refused" | "unreachable" | "aborted"
  readonly message: string
}

/** With the library's contract: it throws. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** The runtime gives up after five minutes of silence; we decide ourselves how long to wait. */
const patient = { timeout: false } as const

/** For servers of the user's own. */
export const plainFetch =
  (network: Network, name?: string): Fetch =>
  async (url, init) =>
    boundedAnswer(
      await network.fetch({ why: "mcp", chosenBy: "user", ...optional("name", name) }, url, { ...init, ...patient }),
    )

export const pinnedFetch =
  ({ send }: Pick<PinnedRequests, "send">): Fetch =>
  async (url, init = {}) => {
    const headers = new Headers(init.headers)
    const body = textOf(init.body, headers)
    const answer = await send({
      url: String(url),
      method: init.method ?? "GET",
      headers: Object.fromEntries(headers),
      ...optional("body", body),
      signal: init.signal ?? new AbortController().signal,
    })
    if (answer.ok) return boundedAnswer(answer.value)
    const { kind, message } = answer.failure
    throw Object.assign(new Error(message), { code: kind === "refused" ? refusedCode : unreachedCode })
  }

/** The port of this machine that an address names, as scheme, host and port; undefined for other addresses. */
export function localOrigin(url: string): string | undefined {
  const parsed = URL.parse(url)
  const host = parsed?.hostname.replace(/^\[(.*)\]$/, "$1") ?? ""
  return isLoopbackName(host) || specialRange(host) === "loopback" ? parsed?.origin : undefined
}

/** The library only sends strings and forms. */
function textOf(body: RequestInit["body"], headers: Headers): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === "string") return body
  if (!(body instanceof URLSearchParams)) throw new TypeError("Only texts and forms are sent to a server.")
  if (!headers.has("content-type")) headers.set("content-type", "application/x-www-form-urlencoded;charset=UTF-8")
  return body.toString()
}

/** A stream may be reopened this often at once; a server that keeps closing it is asked less and less often. */
const freeStreams = 4
const forgetMs = 60_000
const shortestPauseMs = 500
const longestPauseMs = 30_000

/** The library reopens a stream that ended, as often as the server closes it. */
export function unhurried(send: Fetch, clock: Clock): Fetch {
  let lastAt = Number.NEGATIVE_INFINITY
  let streak = 0
  return async (url, init) => {
    if (!new Headers(init?.headers).get("accept")?.includes("text/event-stream") || (init?.method ?? "GET") !== "GET")
      return send(url, init)
    streak = clock.now() - lastAt < forgetMs ? streak + 1 : 1
    const pause =
      streak <= freeStreams ? 0 : Math.min(longestPauseMs, shortestPauseMs * 2 ** (streak - freeStreams - 1))
    lastAt = clock.now() + pause
    if (pause > 0) await clock.sleep(pause, init?.signal ?? new AbortController().signal)
    return send(url, init)
  }
}

/** What a call says about its span is also said in the header that servers look at. */
export const traced =
  (send: Fetch): Fetch =>
  (url, init) => {
    const traceparent = typeof init?.body === "string" ? traceparentIn(init.body) : undefined
    if (traceparent === undefined) return send(url, init)
    const headers = new Headers(init?.headers)
    headers.set("traceparent", traceparent)
    return send(url, { ...init, headers })
  }

function traceparentIn(body: string): string | undefined {
  if (!body.includes('"traceparent"')) return undefined
  const message: unknown = JSON.parse(body)
  const params = isObject(message) && isObject(message.params) ? message.params : {}
  const { _meta: said } = params
  const meta = isObject(said) ? said : {}
  return typeof meta.traceparent === "string" ? meta.traceparent : undefined
}
