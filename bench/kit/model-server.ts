/** A model that answers at once: prebuilt bytes over a bare socket, and the times at which requests came and answers went. */

/** One request and its answer, in milliseconds of `performance.now()`. */
export interface Exchange {
  /** When the first bytes of the request, its headers, arrived. */
  readonly arrivedAt: number
  /** When all of it had arrived. */
  wholeAt: number
  /** When the last byte of the answer was written. */
  answeredAt: number
  /** The size of the body. */
  bytes: number
  /** The body, if bodies are kept. */
  body: string
}

/** What is written, and for how long nothing is written before it goes on. */
export type Piece = Uint8Array | { readonly pauseMs: number } | (() => void)

export interface ModelServer {
  readonly url: string
  readonly exchanges: readonly Exchange[]
  readonly connections: () => number
  readonly close: () => void
}

export interface ModelServerOptions {
  /** What to answer to the request of this number, the first being 0. */
  readonly answer: (index: number) => readonly Piece[]
  readonly bodies: "kept" | "dropped"
  /** Server-sent events when absent. */
  readonly contentType?: string
  /** Hears of a request before it is answered. */
  readonly onRequest?: (index: number) => void
}

interface Connection {
  chunks: Uint8Array[]
  received: number
  /** How long the request is, known once its headers are there. */
  length: number | undefined
  headLength: number
  exchange: Exchange | undefined
  unsent: Uint8Array | undefined
  onDrain: (() => void) | undefined
}

const headOf = (contentType: string): Uint8Array =>
  new TextEncoder().encode(`HTTP/1.1 200 OK\r\ncontent-type: ${contentType}\r\ntransfer-encoding: chunked\r\n\r\n`)
const lastChunk = new TextEncoder().encode("0\r\n\r\n")

export function openModelServer({
  answer,
  bodies,
  contentType = "text/event-stream",
  onRequest,
}: ModelServerOptions): ModelServer {
  const head = headOf(contentType)
  const exchanges: Exchange[] = []
  let connections = 0

  const listener = Bun.listen<Connection>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        connections++
        socket.setNoDelay(true)
        socket.data = fresh()
      },
      data(socket, chunk) {
        const now = performance.now()
        const connection = socket.data
        connection.exchange ??= { arrivedAt: now, wholeAt: 0, answeredAt: 0, bytes: 0, body: "" }
        connection.chunks.push(chunk.slice())
        connection.received += chunk.length
        connection.length ??= lengthOf(connection)
        if (connection.length === undefined || connection.received < connection.length) return
        const { exchange, headLength, chunks } = connection
        exchange.wholeAt = now
        exchange.bytes = connection.length - headLength
        if (bodies === "kept") exchange.body = Buffer.concat(chunks).toString("utf8", headLength)
        socket.data = fresh()
        const index = exchanges.push(exchange) - 1
        onRequest?.(index)
        void send(socket, exchange, head, answer(index))
      },
      drain(socket) {
        const { unsent, onDrain } = socket.data
        if (unsent === undefined) return
        const rest = unsent.subarray(socket.write(unsent))
        socket.data.unsent = rest.length > 0 ? rest : undefined
        if (rest.length === 0) onDrain?.()
      },
      error() {},
    },
  })

  return {
    url: `http://127.0.0.1:${listener.port}`,
    exchanges,
    connections: () => connections,
    close: () => listener.stop(true),
  }
}

const fresh = (): Connection => ({
  chunks: [],
  received: 0,
  length: undefined,
  headLength: 0,
  exchange: undefined,
  unsent: undefined,
  onDrain: undefined,
})

function lengthOf(connection: Connection): number | undefined {
  const text = Buffer.concat(connection.chunks).toString("latin1")
  const end = text.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  connection.headLength = end + 4
  return end + 4 + Number(/^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1] ?? 0)
}

/** Without pauses everything is one write, so that nothing of ours lies between its first and its last byte. */
async function send(
  socket: Bun.Socket<Connection>,
  exchange: Exchange,
  head: Uint8Array,
  pieces: readonly Piece[],
): Promise<void> {
  let held: Uint8Array[] = [head]
  const flush = (): Promise<void> => {
    const bytes = held.length === 1 && held[0] ? held[0] : Buffer.concat(held)
    held = []
    const rest = bytes.subarray(socket.write(bytes))
    if (rest.length === 0) return Promise.resolve()
    socket.data.unsent = rest
    return new Promise((resolve) => (socket.data.onDrain = resolve))
  }
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) held.push(chunked(piece))
    else {
      if (held.length > 0) await flush()
      if (typeof piece === "function") piece()
      else await Bun.sleep(piece.pauseMs)
    }
  }
  held.push(lastChunk)
  const flushed = flush()
  exchange.answeredAt = performance.now()
  await flushed
}

function chunked(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")])
}
