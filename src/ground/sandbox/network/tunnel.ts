/**
 * Bytes in both directions between a program and the host it was allowed to reach, and a check of the TLS server
 * name.
 */

import type { Clock } from "#lib/clock.ts"
import { longestHello, readClientHello } from "./client-hello.ts"
import { plainHost } from "./hosts.ts"
import type { Wire } from "./wire.ts"

export interface TunnelOptions {
  readonly client: Wire
  readonly server: Wire
  /** The host that was allowed. A client that names another one in TLS would reach that one. */
  readonly host: string
  readonly clock: Clock
  /** Called with the other name before the connection is closed. */
  readonly misnamed: (name: string) => void
}

/** A client that starts with TLS must name its server within this time. */
const helloMilliseconds = 30_000
/** How long to wait, each time, for data to a client that has finished sending. */
const lingerMilliseconds = 60_000

export async function tunnel({ client, server, host, clock, misnamed }: TunnelOptions): Promise<void> {
  const destroy = (): void => {
    client.destroy()
    server.destroy()
  }

  async function upwards(): Promise<void> {
    const begun = await readBeginning(client, clock)
    const name = begun && wrongName(begun.name, host)
    if (begun === undefined || name !== undefined) {
      if (name !== undefined) misnamed(name)
      return destroy()
    }
    client.unread(begun.bytes)
    await pump(client, server)
  }

  let hasLeft = false
  let cancel = (): void => {}
  const rearm = (): void => {
    cancel()
    if (hasLeft) cancel = clock.after(lingerMilliseconds, destroy)
  }
  const stay = client.whenLeft(() => {
    hasLeft = true
    rearm()
  })
  await Promise.all([upwards(), pump(server, client, rearm)])
  stay()
  cancel()
  client.end()
  server.end()
}

/** Passes on everything and then the end; when the receiver is gone, the source is closed. */
export async function pump(from: Wire, to: Wire, passed: () => void = () => {}): Promise<void> {
  for (;;) {
    const bytes = await from.read()
    if (bytes === undefined) break
    if (!(await to.write(bytes))) return from.destroy()
    passed()
  }
  if (from.isClosed()) to.end()
  else to.shut()
}

interface Beginning {
  readonly bytes: Uint8Array
  readonly name?: string
}

/** What a client sends first, held back until it is a complete TLS hello, or clearly not one. */
async function readBeginning(client: Wire, clock: Clock): Promise<Beginning | undefined> {
  const late = new AbortController()
  let cancel: (() => void) | undefined
  let bytes: Uint8Array = new Uint8Array()
  try {
    for (;;) {
      const more = await client.read(late.signal)
      if (more === undefined) return bytes.length > 0 || client.isClosed() ? undefined : { bytes }
      cancel ??= clock.after(helloMilliseconds, () => late.abort())
      bytes = bytes.length === 0 ? more : Buffer.concat([bytes, more])
      const hello = readClientHello(bytes)
      if (hello.kind === "other") return { bytes }
      if (hello.kind === "hello") return { bytes, ...(hello.name !== undefined && { name: hello.name }) }
      if (hello.kind === "broken" || bytes.length > 2 * longestHello) return undefined
    }
  } finally {
    cancel?.()
  }
}

/** The name, if it is not the host that was allowed. Without a name, the host is all there is. */
function wrongName(name: string | undefined, host: string): string | undefined {
  if (name === undefined) return undefined
  const plain = plainHost(name)
  if (plain.ok && plain.value === host) return undefined
  return plain.ok ? plain.value : host
}
