/**
 * A pooler in front of a Postgres server, as PgBouncer is in its transaction mode: a few connections to the server, lent to clients for one transaction
 * at a time. It knows no settings of a connection, and what one client leaves in a connection the next one finds there.
 */

import { connect, createServer, type Socket } from "node:net"

export interface Pooler extends AsyncDisposable {
  readonly url: string
  /** How many clients there were at the same time at most. */
  readonly mostClients: () => number
}

interface Backend {
  readonly socket: Socket
  client: Client | undefined
}

interface Client {
  readonly socket: Socket
  /** What it has sent and nobody has answered, while it waits for a connection. */
  readonly waiting: Buffer[]
  backend: Backend | undefined
}

const letters = { ready: "Z".charCodeAt(0), idle: "I".charCodeAt(0), terminate: "X".charCodeAt(0) }

export async function openPooler(url: string, size: number): Promise<Pooler> {
  const there = new URL(url)
  const free: Backend[] = []
  const queue: Client[] = []
  const all: Backend[] = []
  const clients = new Set<Client>()
  let greeting: Buffer = Buffer.alloc(0)
  let most = 0

  function lend(): void {
    while (free.length > 0 && queue.length > 0) {
      const [backend, client] = [free.pop(), queue.shift()]
      if (!backend || !client) return
      backend.client = client
      client.backend = backend
      for (const piece of client.waiting.splice(0)) backend.socket.write(piece)
    }
  }

  async function openBackend(): Promise<void> {
    const socket = connect(Number(there.port), there.hostname)
    const backend: Backend = { socket, client: undefined }
    all.push(backend)
    const started = Promise.withResolvers<Buffer>()
    let isStarted = false
    const hello: Buffer[] = []
    socket.on("error", () => undefined)
    const cut = openCutter(false, (message) => {
      if (!isStarted) hello.push(message)
      else backend.client?.socket.write(message)
      if (message[0] !== letters.ready) return
      if (!isStarted) {
        isStarted = true
        started.resolve(Buffer.concat(hello))
      } else if (message[5] === letters.idle) {
        // The transaction is over: the next one may be somebody else's.
        if (backend.client) backend.client.backend = undefined
        backend.client = undefined
        free.push(backend)
        lend()
      }
    })
    socket.on("data", cut)
    const parameters = Buffer.from(`user\0${there.username}\0database\0${there.pathname.slice(1)}\0\0`)
    const start = Buffer.alloc(8)
    start.writeInt32BE(parameters.length + 8, 0)
    start.writeInt32BE(196_608, 4)
    socket.write(Buffer.concat([start, parameters]))
    greeting = await started.promise
    free.push(backend)
  }

  for (let nth = 0; nth < size; nth++) await openBackend()

  const server = createServer((socket) => {
    const client: Client = { socket, waiting: [], backend: undefined }
    clients.add(client)
    most = Math.max(most, clients.size)
    socket.on("error", () => undefined)
    socket.on("close", () => clients.delete(client))
    let isStarted = false
    socket.on(
      "data",
      openCutter(true, (message) => {
        if (!isStarted) {
          if (message.length === 8) return void socket.write("N")
          isStarted = true
          // As PgBouncer does unless it is told to ignore them.
          if (message.includes("search_path")) return void socket.destroy()
          return void socket.write(greeting)
        }
        if (message[0] === letters.terminate) return
        if (client.backend) return void client.backend.socket.write(message)
        client.waiting.push(message)
        if (!queue.includes(client)) queue.push(client)
        lend()
      }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const here = new URL(url)
  here.port = String(typeof address === "object" ? address?.port : "")
  return {
    url: here.href,
    mostClients: () => most,
    async [Symbol.asyncDispose]() {
      for (const { socket } of [...clients, ...all]) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Whole messages; the first ones of a client have no letter. */
function openCutter(isClient: boolean, onMessage: (message: Buffer) => void): (piece: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let isStart = isClient
  return (piece) => {
    rest = Buffer.concat([rest, piece])
    for (;;) {
      const at = isStart ? 0 : 1
      if (rest.length < at + 4) return
      const length = at + rest.readInt32BE(at)
      if (rest.length < length) return
      if (isStart && length !== 8) isStart = false
      onMessage(Buffer.from(rest.subarray(0, length)))
      rest = rest.subarray(length)
    }
  }
}
