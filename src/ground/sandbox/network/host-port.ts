/** A unix socket that leads to a port on this machine's loopback, whatever the protocol. */

import type { Clock } from "#lib/clock.ts"
import type { Result } from "#lib/result.ts"
import { pump } from "./pump.ts"
import { connect, listen, type Listening, type Wire } from "./wire.ts"

const connectMilliseconds = 10_000

export function openHostPort(socket: string, port: number, clock: Clock): Result<Listening, string> {
  const wires = new Set<Wire>()

  async function reach(): Promise<Wire | undefined> {
    for (const address of ["127.0.0.1", "::1"]) {
      const late = new AbortController()
      const cancel = clock.after(connectMilliseconds, () => late.abort())
      const connected = await connect(address, port, late.signal)
      cancel()
      if (connected.ok) return connected.value
    }
    return undefined
  }

  async function serve(client: Wire): Promise<void> {
    wires.add(client)
    const server = await reach()
    if (server !== undefined) {
      wires.add(server)
      await Promise.all([pump(client, server), pump(server, client)])
      server.end()
      wires.delete(server)
    }
    client.end()
    wires.delete(client)
  }

  const listening = listen(socket, (client) => void serve(client))
  if (!listening.ok) return listening
  const close = (): void => {
    listening.value.close()
    for (const wire of wires) wire.destroy()
  }
  return { ok: true, value: { close } }
}
