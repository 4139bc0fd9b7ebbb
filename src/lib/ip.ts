/** IP addresses as numbers, and which of them are not on the public internet. */

import { lazily } from "./lazily.ts"

export type SpecialRange =
  | "loopback"
  | "private"
  | "link-local"
  | "multicast"
  | "unspecified"
  | "shared"
  | "benchmark"
  | "documentation"
  | "reserved"
  | "unique-local"
  | "ipv4-in-ipv6"
  | "metadata"

/** Completes a sentence after "is". */
export const rangeWords: Readonly<Record<SpecialRange, string>> = {
  loopback: "this machine itself",
  private: "an address of a private network",
  "link-local": "an address of the local link",
  multicast: "a multicast address",
  unspecified: "an address without a place",
  shared: "an address inside a provider's network",
  benchmark: "an address for measurements",
  documentation: "an address for examples only",
  reserved: "a reserved address",
  "unique-local": "an address of a private network",
  "ipv4-in-ipv6": "an IPv4 address hidden in IPv6",
  metadata: "a cloud's metadata service",
}

interface Ip {
  readonly bits: 32 | 128
  readonly value: bigint
}

/** Undefined for a public address. Anything that is not an address counts as reserved. */
export function specialRange(text: string): SpecialRange | undefined {
  const ip = parseIp(text)
  return ip === undefined ? "reserved" : rangeOf(ip)
}

/** Whether a string is an IP address in its usual notation, without brackets; a zone may follow. */
export function isIp(text: string): boolean {
  return parseIp(text) !== undefined
}

/** Whether an address is the one named, or in the block named as `10.0.0.0/8`; no for anything that is not an address. */
export function isInBlock(text: string, block: string): boolean {
  const [address = "", length] = block.split("/")
  const ip = parseIp(text)
  const start = parseIp(address)
  if (!ip || !start || (length !== undefined && !/^\d{1,3}$/.test(length))) return false
  const prefix = length === undefined ? start.bits : Number(length)
  return prefix <= start.bits && contains({ ...start, prefix }, ip)
}

function rangeOf(ip: Ip): SpecialRange | undefined {
  const listed = special().find((row) => contains(row.block, ip))
  if (listed) return listed.range
  if (ip.bits === 32) return undefined
  for (const embedded of embeddedIn(ip)) {
    const range = rangeOf(embedded)
    if (range !== undefined) return range
  }
  // All public IPv6 lies in one block, and what translators reach in another; the rest is not given out.
  return [globalUnicast(), translated()].some((each) => contains(each, ip)) ? undefined : "reserved"
}

/** The IPv4 addresses an IPv6 address leads to: translation, 6to4, and Teredo's server and client. */
function embeddedIn({ value }: Ip): readonly Ip[] {
  const at = (shift: bigint): Ip => ({ bits: 32, value: (value >> shift) & 0xffffffffn })
  if (contains(translated(), { bits: 128, value })) return [at(0n)]
  if (value >> 112n === 0x2002n) return [at(80n)]
  if (value >> 96n === 0x20010000n) return [at(64n), { bits: 32, value: at(0n).value ^ 0xffffffffn }]
  return []
}

interface IpBlock extends Ip {
  readonly prefix: number
}

function contains({ bits, prefix, value }: IpBlock, ip: Ip): boolean {
  const shift = BigInt(bits - prefix)
  return bits === ip.bits && value >> shift === ip.value >> shift
}

function parseBlock(cidr: string): IpBlock {
  const [address = "", prefix] = cidr.split("/")
  const ip = parseIp(address)
  if (ip === undefined) throw new Error(`Not an address: ${cidr}`)
  return { ...ip, prefix: prefix === undefined ? ip.bits : Number(prefix) }
}

const globalUnicast = lazily(() => parseBlock("2000::/3"))
const translated = lazily(() => parseBlock("64:ff9b::/96"))

/** The first block that contains an address names it, so narrow blocks come before wide ones. */
const special = lazily((): readonly { readonly block: IpBlock; readonly range: SpecialRange }[] =>
  (
    [
      // Where clouds tell their machines who they are, credentials included.
      ["169.254.169.254", "metadata"],
      ["169.254.169.253", "metadata"],
      ["169.254.169.123", "metadata"],
      ["169.254.170.2", "metadata"],
      ["169.254.170.23", "metadata"],
      ["169.254.0.23", "metadata"],
      ["169.254.42.42", "metadata"],
      ["100.100.100.200", "metadata"],
      ["192.0.0.192", "metadata"],
      ["168.63.129.16", "metadata"],
      ["fd00:ec2::254", "metadata"],
      ["fd00:ec2::23", "metadata"],
      ["fd20:ce::254", "metadata"],
      ["fd00:42::42", "metadata"],
      ["0.0.0.0/8", "unspecified"],
      ["10.0.0.0/8", "private"],
      ["100.64.0.0/10", "shared"],
      ["127.0.0.0/8", "loopback"],
      ["169.254.0.0/16", "link-local"],
      ["172.16.0.0/12", "private"],
      ["192.0.0.0/24", "reserved"],
      ["192.0.2.0/24", "documentation"],
      ["192.88.99.0/24", "reserved"],
      ["192.168.0.0/16", "private"],
      ["198.18.0.0/15", "benchmark"],
      ["198.51.100.0/24", "documentation"],
      ["203.0.113.0/24", "documentation"],
      ["224.0.0.0/4", "multicast"],
      ["240.0.0.0/4", "reserved"],
      ["::", "unspecified"],
      ["::1", "loopback"],
      ["::ffff:0:0/96", "ipv4-in-ipv6"],
      ["::ffff:0:0:0/96", "ipv4-in-ipv6"],
      ["::/96", "ipv4-in-ipv6"],
      ["64:ff9b:1::/48", "private"],
      ["100::/64", "reserved"],
      ["2001:2::/48", "benchmark"],
      ["2001:10::/28", "reserved"],
      ["2001:20::/28", "reserved"],
      ["2001:db8::/32", "documentation"],
      ["3fff::/20", "documentation"],
      ["fc00::/7", "unique-local"],
      ["fe80::/10", "link-local"],
      ["fec0::/10", "private"],
      ["ff00::/8", "multicast"],
    ] as const
  ).map(([cidr, range]) => ({ block: parseBlock(cidr), range })),
)

function parseIp(text: string): Ip | undefined {
  // The zone of a link-local address names an interface of this machine; it does not change where the address belongs.
  const plain = text.split("%", 1)[0] ?? ""
  if (/^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/.test(plain))
    return { bits: 32, value: plain.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n) }
  if (!/^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(plain)) return undefined
  // The parser of addresses knows every way to write one, and gives the one of hexadecimal groups.
  const host = URL.parse(`http://[${plain}]/`)?.hostname
  return host === undefined ? undefined : { bits: 128, value: ipv6Value(host.slice(1, -1)) }
}

function ipv6Value(text: string): bigint {
  const [head = "", tail] = text.split("::")
  const before = groupsOf(head)
  const after = tail === undefined ? [] : groupsOf(tail)
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0n)
  return [...before, ...zeros, ...after].reduce((value, group) => (value << 16n) | group, 0n)
}

function groupsOf(text: string): bigint[] {
  return text === "" ? [] : text.split(":").map((group) => BigInt(`0x${group}`))
}
