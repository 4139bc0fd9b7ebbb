/** Every connection of the program to another machine is made here: through which proxy, with which certificates, or not at all. */

import { lazily } from "#lib/lazily.ts"
import type { ConnectionFact, FetchInit, OnConnection, Network, Purpose } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { type ProxyChoice, proxyFor, upstreamFor } from "./proxies.ts"
import { lasting } from "./proxy-words.ts"
import { followed, nextHop } from "./redirects.ts"
import type { OnExchange } from "./exchange.ts"
import { overTheWire, type ChosenRoute } from "./send.ts"
import type { Certificate, TlsOptions } from "./tls.ts"

export interface NetworkParts {
  /** Read when the first connection is made, like what follows. A failure is part of a sentence. */
  readonly proxies: () => ProxyChoice
  readonly certificate: () => Result<Certificate | undefined, string>
  /** Everything to trust; what the runtime trusts if undefined. */
  readonly ca: () => Result<readonly string[] | undefined, string>
  /** Why only models are contacted; anything may be when absent. */
  readonly offline?: string
}

export interface OwnNetwork extends Network {
  /** Told of every exchange from here on. */
  readonly watch: (onExchange: OnExchange) => void
  /** The addresses of the chosen models: offline, the only ones. Clouds are named: where they are depends on the region. */
  readonly permit: (urls: readonly string[], providers?: readonly string[]) => void
}

export function openNetwork(parts: NetworkParts): OwnNetwork {
  const proxies = lazily(parts.proxies)
  const permitted = new Set<string>()
  const clouds = new Set<string>()
  const watchers: OnExchange[] = []
  const tls = lazily(() => tlsOf(parts))

  const isPermitted = ({ why, name }: Purpose, url: URL): boolean =>
    why === "credentials"
      ? clouds.size > 0
      : (why === "model" || why === "key") && (permitted.has(url.origin) || clouds.has(name ?? ""))
  const isRefused = (purpose: Purpose, url: URL): boolean => parts.offline !== undefined && !isPermitted(purpose, url)

  /** How a request goes out; the failure is the error to throw. */
  function route(purpose: Purpose, url: URL, onConnection: OnConnection): Result<ChosenRoute, Error> {
    const connection = connectionOf(purpose, url)
    if (isRefused(purpose, url)) {
      onConnection({ ...connection, refused: true })
      return failed(lasting(`${url.host} is not contacted. ${parts.offline}`))
    }
    const proxy = purpose.way === "direct" ? ok(undefined) : proxyFor(url, proxies())
    if (!proxy.ok) return failed(lasting(proxy.failure))
    const options = url.protocol === "https:" ? tls() : ok({ user: {}, others: {} })
    if (!options.ok) return failed(lasting(options.failure))
    return ok({
      connection: { ...connection, ...(proxy.value && { proxy: proxy.value.shown }) },
      proxy: proxy.value,
      tls: options.value[purpose.chosenBy],
    })
  }

  async function send(purpose: Purpose, url: URL, init: FetchInit, onConnection: OnConnection): Promise<Response> {
    const way = route(purpose, url, onConnection)
    if (!way.ok) throw way.failure
    onConnection(way.value.connection)
    if (watchers.length === 0) return overTheWire(url, init, way.value)
    const { watchedSend } = await import("./exchange.ts")
    return watchedSend(watchers, { purpose, url, init, way: way.value })
  }

  function viewFor(onConnection: OnConnection): Network {
    return {
      async fetch(purpose, address, init = {}) {
        const first = new URL(address)
        if ((init.redirect ?? "follow") !== "follow") return send(purpose, first, init, onConnection)
        // Each address of a chain has its own proxy, and is told.
        let hop = { url: first, init }
        for (let hops = 0; ; hops++) {
          const response = await send(purpose, hop.url, { ...hop.init, redirect: "manual" }, onConnection)
          const next = nextHop(response, hop, hops)
          if (!next) return followed(response, hops)
          hop = next
        }
      },
      preconnect(address) {
        const url = URL.parse(address)
        const way = url && route({ why: "model", chosenBy: "user" }, url, () => {})
        // A connection made ahead would have no certificate, and would not go through a proxy.
        if (!way?.ok || way.value.proxy || Object.keys(way.value.tls).length > 0) return
        fetch.preconnect(address)
      },
      async request(purpose, wanted) {
        const url = new URL(wanted.address.url)
        const way = route(purpose, url, onConnection)
        // Another address of the host would fail in the same way.
        if (!way.ok) return failed({ when: "after", why: way.failure.message })
        const { connection, proxy } = way.value
        onConnection(proxy ? connection : { ...connection, ip: wanted.ip })
        if (proxy) return (await import("./through-proxy.ts")).throughProxy(wanted, way.value)
        return (await import("./request.ts")).request(wanted, way.value.tls)
      },
      proxyOf(address) {
        const url = URL.parse(address)
        const proxy = url && proxyFor(url, proxies())
        return proxy?.ok ? proxy.value?.shown : undefined
      },
      upstreamOf: (host, port) => upstreamFor(host, port, proxies()),
      connectionTo(purpose, address) {
        const url = URL.parse(address)
        const way = url && route(purpose, url, () => {})
        if (!way) return undefined
        if (way.ok) return way.value.connection
        return { ...connectionOf(purpose, url), ...(isRefused(purpose, url) && { refused: true }) }
      },
      refusal(purpose, address) {
        const url = URL.parse(address)
        if (parts.offline === undefined || (url && !isRefused(purpose, url))) return undefined
        if (url) onConnection({ ...connectionOf(purpose, url), refused: true })
        return parts.offline
      },
      note: onConnection,
      observedBy: (other) =>
        viewFor((connection) => {
          onConnection(connection)
          other(connection)
        }),
    }
  }

  return {
    ...viewFor(() => {}),
    watch: (onExchange) => void watchers.push(onExchange),
    permit(urls, providers = []) {
      for (const name of providers) clouds.add(name)
      for (const address of urls) {
        const url = URL.parse(address)
        if (url) permitted.add(url.origin)
      }
    },
  }
}

function tlsOf(parts: NetworkParts): Result<{ readonly user: TlsOptions; readonly others: TlsOptions }, string> {
  const certificate = parts.certificate()
  if (!certificate.ok) return certificate
  const ca = parts.ca()
  if (!ca.ok) return ca
  const others = ca.value ? { ca: ca.value } : {}
  return ok({ user: { ...others, ...certificate.value }, others })
}

function connectionOf({ why, name }: Purpose, url: URL): ConnectionFact {
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80))
  return { why, ...(name !== undefined && { name }), host: url.hostname.replace(/^\[|\]$/g, ""), port }
}
