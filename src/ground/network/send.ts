/** The only call of the runtime's own function for requests. */

import type { ConnectionFact, FetchInit } from "#lib/network.ts"
import type { Proxy } from "./proxies.ts"
import { proxyError, refusedByProxy } from "./proxy-words.ts"
import type { TlsOptions } from "./tls.ts"

export interface ChosenRoute {
  readonly connection: ConnectionFact
  readonly proxy: Proxy | undefined
  readonly tls: TlsOptions
}

/** `decompress: false`: the body as it was sent. */
type SendInit = FetchInit & { readonly decompress?: boolean }

export async function overTheWire(url: URL, init: SendInit, { proxy, tls }: ChosenRoute): Promise<Response> {
  const options = {
    ...init,
    ...(Object.keys(tls).length > 0 && { tls: { ...tls, ca: tls.ca && [...tls.ca] } }),
    ...(proxy && { proxy: proxy.url }),
  }
  let response: Response
  try {
    response = await fetch(url, options)
  } catch (error) {
    throw proxy ? proxyError(error, proxy, url.host) : error
  }
  // Only a proxy answers so.
  if (proxy && response.status === 407) throw refusedByProxy(407, proxy, url.host)
  return response
}
