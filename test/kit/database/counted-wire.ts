/** A wire to a Postgres server that counts what passes: statements, transactions, notifications and connections. */

import { connect, createServer } from "node:net"

export interface Passed {
  readonly statements: number
  readonly transactions: number
  /** As they arrive, so one that five processes hear counts five times. */
  readonly notifications: number
  /** Statements with a mark in their text. */
  readonly marked: number
}

export interface CountedWire {
  readonly url: string
  readonly passed: () => Passed
  readonly connections: () => number
  readonly close: () => void
}

export async function openCountedWire(url: string, mark: RegExp): Promise<CountedWire> {
  const there = new URL(url)
  const counts = { statements: 0, transactions: 0, notifications: 0, marked: 0 }
  const sockets = new Set<{ destroy: () => void }>()
  let connections = 0
  const server = createServer((client) => {
    const upstream = connect(Number(there.port), there.hostname)
    connections++
    const statements = new Map<string, boolean>()
    let hasRun = false
    client.pipe(upstream)
    upstream.pipe(client)
    // The first message of a client has no letter.
    const asked = openMessages(true, (letter, body) => {
      if (letter === "P") statements.set(textAt(body, 0), mark.test(textAt(body, textAt(body, 0).length + 1)))
      if (letter === "B" && statements.get(textAt(body, textAt(body, 0).length + 1)) === true) counts.marked++
      if (letter !== "E" && letter !== "Q") return
      counts.statements++
      hasRun = true
    })
    const answered = openMessages(false, (letter, body) => {
      if (letter === "A") counts.notifications++
      if (letter !== "Z" || body[0] !== 73 || !hasRun) return
      counts.transactions++
      hasRun = false
    })
    client.on("data", asked)
    upstream.on("data", answered)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.on("close", () => void connections--)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const here = new URL(url)
  here.port = String(typeof address === "object" ? address?.port : "")
  return {
    url: here.href,
    passed: () => ({ ...counts }),
    connections: () => connections,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** Cuts a stream of bytes into messages: a letter, a length, and a body. */
function openMessages(hasStart: boolean, onMessage: (letter: string, body: Buffer) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let isStart = hasStart
  return (piece) => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    for (;;) {
      const at = isStart ? 0 : 1
      if (rest.length < at + 4) return
      const length = rest.readInt32BE(at)
      if (rest.length < at + length) return
      if (!isStart) onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(5, 1 + length))
      // A client may first ask for encryption, which is answered with a letter alone, and begin again.
      else if (length !== 8) isStart = false
      rest = rest.subarray(at + length)
    }
  }
}

function textAt(body: Buffer, from: number): string {
  const end = body.indexOf(0, from)
  return body.toString("utf8", from, end === -1 ? body.length : end)
}
