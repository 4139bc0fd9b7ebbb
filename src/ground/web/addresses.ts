/** Which web addresses may be reached: a pure check of the address as written and of what its host resolves to. */

import { isHostName, isLocalName, isLoopbackName, isMetadataName } from "#lib/host-names.ts"
import { isIp, rangeWords, type SpecialRange, specialRange } from "#lib/ip.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { lookAlikeNote } from "./look-alike.ts"

/** An address that may be reached as far as its text tells. */
export interface WebAddress {
  /** The address as requested: https, without fragment, the host normalised. */
  readonly url: string
  /** In lower case, without brackets and trailing dot. */
  readonly host: string
  /** Empty for the scheme's default. */
  readonly port: string
  readonly scheme: "http" | "https"
  readonly note?: string
}

export type AddressRefusal =
  | { readonly kind: "malformed"; readonly url: string; readonly why: string }
  | { readonly kind: "scheme"; readonly url: string; readonly scheme: string }
  | { readonly kind: "userinfo"; readonly url: string }
  | { readonly kind: "offline"; readonly why: string }
  /** `address` is what the host resolves to, or the host itself if it is an address. */
  | { readonly kind: "special"; readonly host: string; readonly address: string; readonly range: SpecialRange }

/** How addresses are judged: before anything is resolved, and again when the addresses are known. */
export interface AddressPolicy {
  readonly judgeUrl: (url: string) => Result<WebAddress, AddressRefusal>
  readonly judgeResolved: (address: WebAddress, resolved: readonly string[]) => AddressRefusal | undefined
}

/** Whether a rule names a host or address that is not on the public internet. */
export type AllowsPrivate = (host: string) => boolean

/** For addresses that come from a model, a page or a project's file. */
export function guardedAddresses(allowsPrivate: AllowsPrivate): AddressPolicy {
  return {
    judgeUrl: (url) => judgeUrl(url, allowsPrivate),
    judgeResolved: (address, resolved) => judgeResolved(address, resolved, allowsPrivate),
  }
}

/** The same, and one port of this machine besides, which the user approved: only what resolves to this machine. */
export function withLocalPort(policy: AddressPolicy, origin: string): AddressPolicy {
  const host = URL.parse(origin)?.hostname.replace(/^\[|\]$/g, "")
  const own = guardedAddresses((named) => named === host)
  const isOwn = (url: string): boolean => URL.parse(url)?.origin === origin
  return {
    judgeUrl: (url) => (isOwn(url) ? own : policy).judgeUrl(url),
    judgeResolved(address, resolved) {
      if (!isOwn(address.url)) return policy.judgeResolved(address, resolved)
      const astray = resolved.find((ip) => specialRange(ip) !== "loopback")
      if (astray === undefined) return undefined
      return { kind: "special", host: address.host, address: astray, range: specialRange(astray) ?? "reserved" }
    },
  }
}

/** For an address from the user's own settings: accepted as it is. */
export const chosenAddresses: AddressPolicy = {
  judgeUrl: parseUrl,
  judgeResolved: () => undefined,
}

/** Judges an address by its text: https only (http is upgraded, except to this machine when a rule allows that). */
export function judgeUrl(text: string, allowsPrivate: AllowsPrivate): Result<WebAddress, AddressRefusal> {
  const parsed = parseUrl(text)
  if (!parsed.ok) return parsed
  const address = parsed.value
  const range = rangeByName(address.host)
  const isNamed = range !== undefined && allowsPrivate(address.host)
  if (range !== undefined && !isNamed)
    return failed({ kind: "special", host: address.host, address: address.host, range })
  if (address.scheme === "https" || (range === "loopback" && isNamed)) return parsed
  return parseUrl(address.url.replace(/^http:/, "https:"))
}

/** Every address of the host must be public, or be named by a rule. */
export function judgeResolved(
  { host, scheme }: Pick<WebAddress, "host" | "scheme">,
  resolved: readonly string[],
  allowsPrivate: AllowsPrivate,
): AddressRefusal | undefined {
  for (const address of resolved) {
    const range = specialRange(address)
    // Plain http was kept because the host is this machine; then it has to be.
    const isExpected = scheme === "https" || range === "loopback"
    if (isExpected && (range === undefined || isNamedByRule(host, address, range, allowsPrivate))) continue
    return { kind: "special", host, address, range: range ?? "reserved" }
  }
  return undefined
}

/**
 * A rule for a public name does not open the private address behind it: the owner of the name chooses where it leads.
 * The address itself must be named, or a name that only the local network serves.
 */
function isNamedByRule(host: string, address: string, range: SpecialRange, allowsPrivate: AllowsPrivate): boolean {
  if (allowsPrivate(address)) return true
  const isOwnName = range === "metadata" ? isMetadataName(host) : isLocalName(host)
  return isOwnName && allowsPrivate(host)
}

function rangeByName(host: string): SpecialRange | undefined {
  if (isIp(host)) return specialRange(host)
  if (isMetadataName(host)) return "metadata"
  return isLoopbackName(host) ? "loopback" : undefined
}

const longestUrl = 8192

function parseUrl(text: string): Result<WebAddress, AddressRefusal> {
  const malformed = (why: string): Result<never, AddressRefusal> => failed({ kind: "malformed", url: short(text), why })
  if (text.length > longestUrl) return malformed(`it is longer than ${longestUrl} characters`)
  // The parser would drop these in silence, and the address would not be the one that was shown.
  if (/[\p{Cc}\p{Cf}\p{Z}]/u.test(text.trim())) return malformed("it holds spaces or invisible characters")
  const url = URL.parse(text.trim())
  if (url === null) return malformed("write it whole, such as https://example.com/page")
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return failed({ kind: "scheme", url: short(text), scheme: url.protocol.slice(0, -1) })
  if (!/^https?:\/\/[^/\\]/i.test(text.trim())) return malformed("two slashes and a host follow the scheme")
  if (url.username !== "" || url.password !== "") return failed({ kind: "userinfo", url: url.host })
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  if (!isIp(host) && !isHostName(host)) return malformed(`${short(host)} is no host name`)
  url.hash = ""
  if (url.hostname.endsWith(".")) url.hostname = host
  const note = lookAlikeNote(host)
  const scheme = url.protocol === "http:" ? "http" : "https"
  return ok({ url: url.href, host, port: url.port, scheme, ...(note !== undefined && { note }) })
}

export function sayRefusal(refusal: AddressRefusal): string {
  switch (refusal.kind) {
    case "malformed":
      return `The address ${JSON.stringify(refusal.url)} cannot be used: ${refusal.why}.`
    case "scheme":
      return `Only https addresses are fetched, not ${refusal.scheme}.`
    case "userinfo":
      return `The address holds a name or password before ${refusal.url}. Give it without them.`
    case "offline":
      return refusal.why
    case "special": {
      const { host, address, range } = refusal
      const where =
        host === address ? `${host} is ${rangeWords[range]}` : `${host} leads to ${address}, ${rangeWords[range]}`
      return `${where}, which is not reached unless a rule names it. If that is wanted, the user can allow WebFetch(domain:${address}) in their own settings.`
    }
  }
}

const short = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
