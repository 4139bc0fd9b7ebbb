/** Ends TLS in the name of a host: what a client sends encrypted can then be read, and what is written is encrypted. */

import { rmSync } from "node:fs"
import type { Issued } from "#ground/sandbox/credentials/certificate.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { pump } from "./pump.ts"
import { connectTo, listen, type Wire } from "./wire.ts"

/**
 * Bytes that were already read cannot be given back to a socket, so the client's go through a socket of our own, on
 * which the system's TLS listens for this one connection.
 */
export async function endTls(
  client: Wire,
  { socket, issued }: { readonly socket: string; readonly issued: Issued },
): Promise<Result<Wire, string>> {
  const accepted = Promise.withResolvers<Wire>()
  const tls = { key: issued.key, cert: issued.certificate }
  const listening = listen(socket, accepted.resolve, tls)
  if (!listening.ok) return failed(listening.failure)
  const near = await connectTo({ unix: socket }, new AbortController().signal)
  if (!near.ok) {
    listening.value.close()
    return near
  }
  const passing = Promise.all([pump(client, near.value), pump(near.value, client)]).then(() => {
    client.end()
    near.value.end()
  })
  // It is accepted with the first bytes, which may never come.
  const inner = await Promise.race([accepted.promise, passing])
  listening.value.close()
  rmSync(socket, { force: true })
  return inner ? ok(inner) : failed("the client is gone")
}
