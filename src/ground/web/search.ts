/** Search through an endpoint the user configured, in SearXNG's format: a GET request, a JSON answer. */

import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import type { Network } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { chosenAddresses, sayRefusal } from "./addresses.ts"
import type { Download } from "./download.ts"
import { sayWebFailure, type WebFailure } from "./failure.ts"
import { textOf } from "./media.ts"
import type { Resolve } from "./resolve.ts"
import { defaultDownloadLimits, type DownloadLimits, type Route } from "./route.ts"

export interface SearchHit {
  readonly title: string
  readonly url: string
  /** Empty when the engine shows none. */
  readonly snippet: string
  readonly age?: string
}

/** Part of a search provider's commentary, and the pages it cites. */
export interface Remark {
  readonly text: string
  readonly pages: readonly { readonly title: string; readonly url: string }[]
}

export interface WebFindings {
  readonly hits: readonly SearchHit[]
  /** Only from providers that read what they find. */
  readonly remarks?: readonly Remark[]
  /** What went wrong although something was found. */
  readonly note?: string
}

/** Hosts to include and hosts to leave out; a host includes its subdomains. */
export interface SearchOptions {
  readonly allowedDomains: readonly string[]
  readonly blockedDomains: readonly string[]
}

export type SearchWeb = (
  query: string,
  options: SearchOptions,
  signal: AbortSignal,
) => Promise<Result<WebFindings, string>>

/** A search provider, and the address it contacts. */
export interface SearchSource {
  readonly address: string
  readonly search: SearchWeb
}

export interface SearchEndpoint {
  /**
   * The engine's address: `https://search.example`, with or without a trailing `/search`. It may be on this
   * machine.
   */
  readonly endpoint: string
  readonly clock: Clock
  readonly resolve?: Resolve
  readonly limits?: Partial<DownloadLimits>
  readonly network: Network
}

/** Fails with a sentence when the address cannot be used. */
export function openSearch(options: SearchEndpoint): Result<SearchSource, string> {
  const address = chosenAddresses.judgeUrl(options.endpoint)
  if (!address.ok) return failed(`The search endpoint cannot be used. ${sayRefusal(address.failure)}`)
  const { clock, resolve, limits, network } = options
  const route: Route = {
    clock,
    policy: chosenAddresses,
    limits: { ...defaultDownloadLimits, milliseconds: 30_000, ...limits },
    headers: { accept: "application/json" },
    network,
    purpose: { why: "search", chosenBy: "user" },
    ...optional("resolve", resolve),
  }
  return ok({
    address: address.value.url,
    async search(query, { allowedDomains }, signal) {
      const { download } = await import("./download.ts")
      const got = await download(route, queryUrl(address.value.url, query, allowedDomains), signal)
      if (!got.ok) return failed(sayFailure(got.failure))
      if (got.value.status !== 200) return failed(sayStatus(got.value))
      return hitsIn(textOf(got.value.bytes, got.value.media))
    },
  })
}

function queryUrl(endpoint: string, query: string, [domain, ...others]: readonly string[]): string {
  const url = new URL(endpoint)
  url.pathname = `${url.pathname.replace(/\/+$/, "").replace(/\/search$/, "")}/search`
  // Engines agree on this much; several domains are left to the filter after it.
  url.searchParams.set("q", domain !== undefined && others.length === 0 ? `${query} site:${domain}` : query)
  url.searchParams.set("format", "json")
  return url.href
}

function hitsIn(text: string): Result<WebFindings, string> {
  const answer = parsed(text)
  if (!isObject(answer) || !Array.isArray(answer.results))
    return failed("The search endpoint did not answer with results in JSON. Tell the user to check its address.")
  return ok({ hits: answer.results.flatMap(hitOf) })
}

function hitOf(result: JsonValue): readonly SearchHit[] {
  if (!isObject(result) || typeof result.url !== "string") return []
  const url = chosenAddresses.judgeUrl(result.url)
  if (!url.ok) return []
  const line = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "")
  return [{ title: line(result.title), url: url.value.url, snippet: line(result.content) }]
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function sayStatus({ status }: Download): string {
  const hint = status === 403 ? " It may not give JSON; in SearXNG, search.formats must list json." : ""
  return `The search endpoint answered with status ${status}.${hint} Tell the user if it lasts.`
}

/** Advice for pages would mislead here: the model cannot change the address. */
function sayFailure(failure: WebFailure): string {
  switch (failure.kind) {
    case "moved":
      return `The search endpoint redirects to ${failure.target}. Tell the user to configure that address.`
    case "unreachable":
    case "unresolved":
    case "broken":
      return `The search endpoint does not work (${failure.host}: ${failure.why}). Tell the user.`
    case "not_text":
      return "The search endpoint did not answer with results in JSON. Tell the user to check its address."
    default:
      return `The search endpoint did not answer. ${sayWebFailure(failure)}`
  }
}
