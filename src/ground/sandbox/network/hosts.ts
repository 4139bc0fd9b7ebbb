/** Which hosts a policy lets a command reach: hosts are normalised, then compared with the lines. */

import type { HostLine, NetworkPolicy } from "#ground/sandbox/policy.ts"
import { isHostName, isLocalName, isLoopbackName, isMetadataName } from "#lib/host-names.ts"
import { isIp, rangeWords, type SpecialRange, specialRange } from "#lib/ip.ts"
import { failed, ok, type Result } from "#lib/result.ts"

/** What a policy line means. Without a port it means every port: users who allow a host expect git over ssh to work. */
export interface HostPattern {
  /** `below`: subdomains only, as in `WebFetch(domain:*.example.com)`. */
  readonly kind: "any" | "below" | "host"
  /** Normalised with `plainHost`; empty for `any`. */
  readonly host: string
  readonly port?: number
}

export interface HostVerdict {
  readonly decision: "allow" | "deny" | "ask"
  readonly because: string
}

/** Decided before anything is resolved. Denied wins over allowed. */
export function verdict(policy: NetworkPolicy, text: string, port: number): HostVerdict {
  const deny = (because: string): HostVerdict => ({ decision: "deny", because })
  if (policy.mode === "off") return deny(`There is no network: ${policy.because}.`)
  const plain = plainHost(text)
  if (!plain.ok) return deny(plain.failure)
  const host = plain.value
  const denied = denying(policy.denied, host, port)
  if (denied !== undefined) return deny(denied)
  const range = rangeByText(host)
  if (range !== undefined && !isNamed(policy.allowed, host, port))
    return deny(`${host} is ${rangeWords[range]}. ${adviceToAllow(host, port)}`)
  const line = policy.allowed.find((each) => isMeant(each, host, port))
  if (line !== undefined) return { decision: "allow", because: `Allowed by "${line.host}": ${line.because}.` }
  if (policy.others === "ask") return { decision: "ask", because: `No rule mentions ${host}.` }
  return deny(`No rule allows ${host}. ${adviceToAllow(host)}`)
}

/**
 * Whether an allowed host may resolve to this address. The owner of a public name chooses where it leads, so an
 * address that is not public, or is this machine's own, has to be named itself; a name that only the local network
 * serves is enough.
 */
export function leadsWhereAllowed(
  policy: NetworkPolicy,
  host: string,
  port: number,
  address: string,
  isOwn: (address: string) => boolean = () => false,
): boolean {
  if (policy.mode === "off" || denying(policy.denied, address, port) !== undefined) return false
  const range = specialRange(address) ?? (isOwn(address) ? "loopback" : undefined)
  if (range === undefined || isNamed(policy.allowed, address, port)) return true
  const isOwnName = range === "metadata" ? isMetadataName(host) : isLocalName(host)
  return isOwnName && isNamed(policy.allowed, host, port)
}

/** The loopback ports of the host named by the lines, each once. */
export function loopbackPorts(policy: NetworkPolicy): readonly number[] {
  if (policy.mode === "off") return []
  const named = policy.allowed.flatMap((line) => {
    const pattern = parseHostPattern(line.host)
    return pattern.ok && pattern.value.port !== undefined && isThisMachine(pattern.value.host)
      ? [pattern.value.port]
      : []
  })
  return [...new Set(named)].filter((port) => denying(policy.denied, "localhost", port) === undefined)
}

/**
 * A host in the one spelling in which hosts are compared: lower case, punycode, no trailing dot, addresses in their
 * usual notation without brackets. `0x7f.1` is 127.0.0.1, as it is for the programs that connect to it.
 */
export function plainHost(text: string): Result<string, string> {
  const bare = text.replace(/^\[(.*)\]$/s, "$1")
  const isIpv6 = bare.includes(":")
  // The parser of addresses would decode, cut or drop these in silence.
  if (bare.length > 512 || /[\p{Cc}\p{Cf}\p{Z}%/\\?#@[\]<>^|*]/u.test(bare) || (bare !== text && !isIpv6))
    return failed(`${shown(text)} is not a host name.`)
  const parsed = URL.parse(isIpv6 ? `http://[${bare}]/` : `http://${bare}/`)?.hostname ?? ""
  const host = parsed.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  return isIp(host) || isHostName(host) ? ok(host) : failed(`${shown(text)} is not a host name.`)
}

/** Accepts `example.com`, `*.example.com`, `*` or an address, each with `:port` if only that port is meant. */
export function parseHostPattern(text: string): Result<HostPattern, string> {
  const wrong = failed(`${shown(text)} is not a host: write example.com, *.example.com or example.com:8080`)
  const [, written = "", digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/s.exec(unported(text)) ?? []
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65_535)) return wrong
  const at = port === undefined ? {} : { port }
  if (written === "*") return ok({ kind: "any", host: "", ...at })
  const isBelow = written.startsWith("*.")
  const plain = plainHost(isBelow ? written.slice(2) : written)
  if (!plain.ok || (isBelow && isIp(plain.value))) return wrong
  return ok({ kind: isBelow ? "below" : "host", host: plain.value, ...at })
}

/** An IPv6 address without brackets has no port, so its last group is not taken for one. */
const unported = (text: string): string => (/^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) ? `[${text}]` : text)

export const adviceToAllow = (host: string, port?: number): string =>
  `To allow it, add "${host.includes(":") && port !== undefined ? `[${host}]` : host}${port === undefined ? "" : `:${port}`}" to sandbox.network.allowedDomains in your settings.`

/** Why a line denies a host; an invalid line denies everything. */
function denying(lines: readonly HostLine[], host: string, port: number): string | undefined {
  for (const line of lines) {
    const pattern = parseHostPattern(line.host)
    if (!pattern.ok) return `The denied host ${shown(line.host)} cannot be read (${line.because}). Correct it first.`
    if (covers(pattern.value, host, port)) return `${host} is denied by "${line.host}": ${line.because}.`
  }
  return undefined
}

function isMeant(line: HostLine, host: string, port: number): boolean {
  const pattern = parseHostPattern(line.host)
  return pattern.ok && covers(pattern.value, host, port)
}

/** Whether a line names this very host, which `*` never does; a cloud's metadata service only by its full name. */
function isNamed(lines: readonly HostLine[], host: string, port: number): boolean {
  return lines.some((line) => {
    const pattern = parseHostPattern(line.host)
    if (!pattern.ok || pattern.value.kind === "any") return false
    return (pattern.value.kind === "host" || !isMetadataName(host)) && covers(pattern.value, host, port)
  })
}

export function covers({ kind, host: named, port: only }: HostPattern, host: string, port: number): boolean {
  if (only !== undefined && only !== port) return false
  if (kind === "any") return true
  if (kind === "below") return host.endsWith(`.${named}`)
  return named === host || (isThisMachine(named) && isThisMachine(host))
}

/** `localhost` and its two usual addresses mean the same to everyone who writes them. */
const isThisMachine = (host: string): boolean => ["localhost", "127.0.0.1", "::1"].includes(host)

function rangeByText(host: string): SpecialRange | undefined {
  if (isIp(host)) return specialRange(host)
  if (isMetadataName(host)) return "metadata"
  return isLoopbackName(host) ? "loopback" : undefined
}

const shown = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
