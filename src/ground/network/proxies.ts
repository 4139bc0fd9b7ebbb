/** Which proxy an address is reached through, from `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` as other programs read them. */

import { isLoopbackName } from "#lib/host-names.ts"
import { isInBlock, isIp, specialRange } from "#lib/ip.ts"
import type { Upstream } from "#lib/network.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export interface ProxyChoice {
  readonly http?: ProxyAddress | undefined
  readonly https?: ProxyAddress | undefined
  /** Hosts that are reached without a proxy. */
  readonly except: readonly string[]
}

export interface ProxyAddress {
  readonly url: string
  /** The variable or setting that names it. */
  readonly from: string
}

export interface Proxy {
  /** With its user name and password. */
  readonly url: string
  /** As host and port: what may be shown. */
  readonly shown: string
  readonly from: string
}

/** Undefined for an address that is reached directly; the failure says what is wrong with the proxy's own address. */
export function proxyFor(url: URL, { http, https, except }: ProxyChoice): Result<Proxy | undefined, string> {
  const chosen = url.protocol === "https:" ? https : http
  if (!chosen || isExcepted(url, except)) return ok(undefined)
  const { from } = chosen
  // `proxy.example:3128` is usual, and means http.
  const address = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(chosen.url) ? chosen.url : `http://${chosen.url}`)
  if (!address || address.hostname === "")
    return failed(`${from} is not the address of a proxy. Write it as http://host:port`)
  if (address.protocol !== "http:" && address.protocol !== "https:")
    return failed(
      `${from} names a proxy of the kind ${address.protocol.slice(0, -1)}. Only http and https proxies work`,
    )
  const port = address.port || (address.protocol === "https:" ? "443" : "80")
  return ok({ url: address.href, shown: `${address.hostname}:${port}`, from })
}

/** In a list of exceptions: this machine, too, is reached through the proxy. */
const withLoopback = "<-loopback>"

function isExcepted(url: URL, except: readonly string[]): boolean {
  const host = url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "")
  if ((isLoopbackName(host) || (isIp(host) && specialRange(host) === "loopback")) && !except.includes(withLoopback))
    return true
  const port = url.port || (url.protocol === "https:" ? "443" : "80")
  return except.some((entry) => matches(entry.toLowerCase(), host, port))
}

/** `example.com`, `.example.com` and `*.example.com` all mean the name and what is below it. */
function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true
  const { name, port: wanted } = split(entry)
  if (name === "" || (wanted !== undefined && wanted !== port)) return false
  if (name.includes("/")) return isInBlock(host, name)
  if (isIp(name) || isIp(host)) return isInBlock(host, name)
  const bare = name.replace(/^\*?\./, "").replace(/\.$/, "")
  return host === bare || host.endsWith(`.${bare}`)
}

/** An IPv6 address has colons of its own, so its port follows brackets. */
function split(entry: string): { readonly name: string; readonly port?: string } {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry)
  if (bracketed) return { name: bracketed[1] ?? "", ...(bracketed[2] !== undefined && { port: bracketed[2] }) }
  const [, name, port] = /^([^:]+):(\d+)$/.exec(entry) ?? []
  return name !== undefined && port !== undefined ? { name, port } : { name: entry }
}

/** Separated by commas, spaces or both. */
export const exceptionsIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter((entry) => entry !== "")

/** For a connection that somebody else makes. */
export function upstreamFor(host: string, port: number, choice: ProxyChoice): Upstream | undefined {
  const scheme = port === 80 ? "http" : "https"
  const url = URL.parse(`${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}/`)
  const proxy = url && proxyFor(url, choice)
  return proxy?.ok && proxy.value ? upstreamIn(proxy.value) : undefined
}

/** Undefined for a proxy that wants TLS. */
function upstreamIn({ url, shown }: Proxy): Upstream | undefined {
  const { protocol, hostname, port, username, password } = new URL(url)
  if (protocol !== "http:") return undefined
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || 80),
    shown,
    ...(username !== "" && { authorization: `Basic ${Buffer.from(user).toString("base64")}` }),
  }
}
