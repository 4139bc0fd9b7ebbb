/** The way out through another proxy, where the user's network has no other: a tunnel to the host, by name. */

import type { Clock } from "#lib/clock.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { Upstream } from "#lib/network.ts"
import { connect, type Wire } from "./wire.ts"

const connectMilliseconds = 10_000
/** A proxy may look the name up and connect before it answers. */
const answerMilliseconds = 30_000
const mostHead = 16_384

/** The failure completes a sentence after "cannot be reached:". */
export async function tunnelThrough(
  { host, port, shown, authorization }: Upstream,
  wish: { readonly host: string; readonly port: number },
  { clock, left }: { readonly clock: Clock; readonly left: AbortSignal },
): Promise<Result<Wire, string>> {
  const late = new AbortController()
  const signal = AbortSignal.any([late.signal, left])
  const cancelConnect = clock.after(connectMilliseconds, () => late.abort())
  const connected = await connect(host, port, signal)
  cancelConnect()
  if (!connected.ok) return failed(`the proxy ${shown} does not accept the connection (${connected.failure})`)
  const wire = connected.value
  const cancel = clock.after(answerMilliseconds, () => late.abort())
  const place = `${wish.host.includes(":") ? `[${wish.host}]` : wish.host}:${wish.port}`
  const sign = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`
  await wire.write(new TextEncoder().encode(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n${sign}\r\n`))
  const status = await statusFrom(wire, signal)
  cancel()
  if (status !== undefined && status >= 200 && status <= 299) return ok(wire)
  wire.destroy()
  if (status === 407) return failed(`the proxy ${shown} wants another user name or password (407)`)
  return failed(
    `the proxy ${shown} ${status === undefined ? "did not answer" : `refused to connect to it (${status})`}`,
  )
}

/** Of the answer's head; what follows it stays on the wire. */
async function statusFrom(wire: Wire, signal: AbortSignal): Promise<number | undefined> {
  let head = Buffer.alloc(0)
  while (head.length < mostHead) {
    const bytes = await wire.read(signal)
    if (bytes === undefined) return undefined
    head = Buffer.concat([head, bytes])
    const end = head.indexOf("\r\n\r\n")
    if (end < 0) continue
    wire.unread(head.subarray(end + 4))
    const [, status] = /^HTTP\/1\.[01] (\d{3})\b/.exec(head.toString("latin1")) ?? []
    return status === undefined ? undefined : Number(status)
  }
  return undefined
}
