/** The web as the agent reads it: pages as text, cached for a short while, fetched only from allowed addresses. See decision 12. */

import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Network, Purpose } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type AddressRefusal, type AllowsPrivate, guardedAddresses, type WebAddress } from "./addresses.ts"
import type { WebFailure } from "./failure.ts"
import type { Page } from "./page.ts"
import { openPageCache, type PageCacheLimits } from "./page-cache.ts"
import type { Resolve } from "./resolve.ts"
import { defaultDownloadLimits, type DownloadLimits, type Route } from "./route.ts"

export interface Web {
  /** By the text of the address alone, before the user is asked and anything is sent. */
  readonly judge: (url: string) => Result<WebAddress, AddressRefusal>
  readonly fetchPage: (url: string, signal: AbortSignal) => Promise<Result<Page, WebFailure>>
}

export interface WebLimits extends DownloadLimits {
  readonly characters: number
  readonly cache: PageCacheLimits
}

export interface WebOptions {
  readonly clock: Clock
  readonly allowsPrivate: AllowsPrivate
  readonly network: Network
  readonly resolve?: Resolve
  readonly limits?: Partial<WebLimits>
}

const defaultWebLimits: WebLimits = {
  ...defaultDownloadLimits,
  characters: 100_000,
  cache: { milliseconds: 15 * 60_000, entries: 64, characters: 4_000_000 },
}

/** Markdown first: some sites offer it. */
const headers = {
  accept: "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5",
  "accept-language": "en, *;q=0.5",
}

/** The model chooses the address. */
const purpose: Purpose = { why: "web", chosenBy: "others" }

export function openWeb({ clock, allowsPrivate, network, resolve, limits: changed }: WebOptions): Web {
  const limits: WebLimits = { ...defaultWebLimits, ...changed }
  const policy = guardedAddresses(allowsPrivate)
  const route: Route = { clock, policy, limits, headers, network, purpose, ...optional("resolve", resolve) }
  const cache = openPageCache<Page>(clock, limits.cache)

  const judge: Web["judge"] = (url) => {
    const offline = network.refusal(purpose, url)
    return offline === undefined ? policy.judgeUrl(url) : failed({ kind: "offline", why: offline })
  }

  return {
    judge,
    async fetchPage(url, signal) {
      const address = judge(url)
      if (!address.ok) return failed({ kind: "refused", refusal: address.failure })
      const known = cache.get(address.value.url)
      if (known) return ok(known)
      // Loaded with the first page: a session that reads none does not pay for it.
      const [{ download }, { pageOf }] = await Promise.all([import("./download.ts"), import("./page.ts")])
      const got = await download(route, address.value.url, signal)
      if (!got.ok) return got
      const page = await pageOf(got.value, limits.characters)
      const { status, statusText } = page
      if (status < 200 || status > 299)
        return failed({ kind: "status", url: page.url, status, statusText, text: page.text.slice(0, errorCharacters) })
      cache.put(page, page.url, address.value.url)
      return ok(page)
    },
  }
}

/** As much of an error page as can help. */
const errorCharacters = 1000
