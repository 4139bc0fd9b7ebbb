/** Where a request comes from, also behind a proxy that is trusted to say so. */

import { BlockList, isIP } from "node:net"
import { failed, ok, type Result } from "#lib/result.ts"

/** The address of whoever asks: that of the connection, or what a trusted proxy says. */
export type ClientAddress = (connection: string, headers: Headers) => string

/** `proxies`: addresses and ranges, such as `10.0.0.5` and `10.0.0.0/8`. The failure is the entry that is neither. */
export function openClientAddress(proxies: readonly string[]): Result<ClientAddress, string> {
  const trusted = new BlockList()
  for (const entry of proxies) {
    const [address = "", bits] = entry.split("/")
    const most = isIP(address) === 4 ? 32 : 128
    const prefix = bits === undefined ? most : Number(bits)
    const isRange = bits === undefined || /^\d{1,3}$/.test(bits)
    if (isIP(address) === 0 || !isRange || prefix > most) return failed(entry)
    trusted.addSubnet(address, prefix, isIP(address) === 4 ? "ipv4" : "ipv6")
  }
  const isTrusted = (address: string): boolean =>
    isIP(address) !== 0 && trusted.check(address, isIP(address) === 4 ? "ipv4" : "ipv6")
  return ok((connection, headers) => {
    // Each proxy appends the address that it got the request from. Anything left of an untrusted address may be forged.
    const said = (headers.get("x-forwarded-for") ?? "").split(",").map((each) => plain(each.trim()))
    let address = plain(connection)
    while (isTrusted(address)) {
      const before = said.pop()
      if (before === undefined || isIP(before) === 0) break
      address = before
    }
    return address
  })
}

/** Without the forms in which the same address is written: as IPv6, in brackets, with a port. */
function plain(address: string): string {
  const bare = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? /^([\d.]+):\d+$/.exec(address)?.[1] ?? address
  return /^::ffff:([\d.]+)$/i.exec(bare)?.[1] ?? bare
}
