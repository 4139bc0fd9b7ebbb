/** A wire to a server that can be cut, go dead without a word, or be slow. */

import { connect, createServer, type Socket } from "node:net"

export interface Proxy extends AsyncDisposable {
  /** The address of the server, through the wire. */
  readonly url: string
  /** Ends every connection there is. */
  readonly cut: () => void
  /** From now on nothing comes through, and nobody is told: new connections are taken and never answered. */
  readonly goDead: () => void
  /** Those that were dead stay so; new ones come through. */
  readonly revive: () => void
  /** Everything comes so much later. */
  readonly delay: (ms: number) => void
  readonly connections: () => number
}

export async function openProxy(url: string): Promise<Proxy> {
  const there = new URL(url)
  const pairs = new Set<{ readonly sockets: readonly Socket[]; isDead: boolean }>()
  let isDead = false
  let delayMs = 0
  const server = createServer((client) => {
    const upstream = connect(Number(there.port), there.hostname)
    const pair = { sockets: [client, upstream], isDead }
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      for (const socket of pair.sockets) socket.destroy()
    }
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on("data", (piece) => {
        if (pair.isDead) return
        if (delayMs === 0) to.write(piece)
        else setTimeout(() => pair.isDead || to.write(piece), delayMs)
      })
      from.on("error", () => undefined)
      // A dead wire does not tell that the other end has hung up either.
      from.on("close", () => pair.isDead || end())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const here = new URL(url)
  here.port = String(typeof address === "object" ? address?.port : "")
  function cut(): void {
    for (const { sockets } of pairs) for (const socket of sockets) socket.destroy()
    pairs.clear()
  }
  return {
    url: here.href,
    cut,
    goDead() {
      isDead = true
      for (const pair of pairs) pair.isDead = true
    },
    revive: () => void (isDead = false),
    delay: (ms) => void (delayMs = ms),
    connections: () => pairs.size,
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
