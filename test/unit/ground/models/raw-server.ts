/** A server made of bytes, so that a test can misbehave in every way a network can. */

import { createServer, type Socket } from "node:net"

/** A request as it arrived. */
export interface Seen {
  readonly head: string
  readonly headers: Headers
  readonly body: string
  /** Which connection it came over, counted from 0. */
  readonly connection: number
}

/** One side of a connection on which a request has arrived. */
export interface Line {
  readonly send: (text: string | Uint8Array) => Promise<void>
  /** Begins a chunked answer. */
  readonly begin: (status?: string, headers?: { readonly [name: string]: string }) => Promise<void>
  /** Sends a part of a chunked answer. */
  readonly chunk: (text: string | Uint8Array) => Promise<void>
  /** Ends a chunked answer and keeps the connection. */
  readonly finish: () => Promise<void>
  /** Closes as one closes in peace. */
  readonly close: () => void
  /** Drops the connection without a word, once what was sent has had time to arrive: a reset overtakes it. */
  readonly reset: () => Promise<void>
  /** When the other side has gone. */
  readonly gone: Promise<void>
}

export type Reply = (line: Line, seen: Seen) => Promise<void> | void

export interface RawServer extends AsyncDisposable {
  readonly url: string
  readonly seen: readonly Seen[]
  /** How many connections were made, with or without a request. */
  readonly connections: () => number
}

/** Each request gets the next reply; when they run out, the last one again. */
export async function rawServer(...replies: readonly Reply[]): Promise<RawServer> {
  const seen: Seen[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    const connection = connections++
    sockets.add(socket)
    socket.on("error", () => {})
    const gone = new Promise<void>((resolve) => socket.on("close", () => resolve()))
    void gone.then(() => sockets.delete(socket))
    let buffer = Buffer.alloc(0)
    socket.on("data", (data) => {
      buffer = Buffer.concat([buffer, Buffer.from(data)])
      for (;;) {
        const split = buffer.indexOf("\r\n\r\n")
        if (split < 0) return
        const [head = "", ...lines] = buffer.subarray(0, split).toString().split("\r\n")
        const headers = new Headers(
          lines.map((line): [string, string] => [
            line.slice(0, line.indexOf(":")),
            line.slice(line.indexOf(":") + 1).trim(),
          ]),
        )
        const size = Number(headers.get("content-length") ?? 0)
        if (buffer.length < split + 4 + size) return
        const body = buffer.subarray(split + 4, split + 4 + size).toString()
        buffer = buffer.subarray(split + 4 + size)
        const request = { head, headers, body, connection }
        const reply = replies[Math.min(seen.length, replies.length - 1)]
        seen.push(request)
        void reply?.(lineOf(socket, gone), request)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function lineOf(socket: Socket, gone: Promise<void>): Line {
  const send: Line["send"] = (text) => new Promise((resolve) => socket.write(text, () => resolve()))
  return {
    send,
    begin: (status = "200 OK", headers = { "content-type": "text/event-stream; charset=utf-8" }) =>
      send(
        `HTTP/1.1 ${status}\r\ntransfer-encoding: chunked\r\n${Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join("")}\r\n`,
      ),
    chunk: (text) => {
      const bytes = Buffer.from(text)
      return send(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]))
    },
    finish: () => send("0\r\n\r\n"),
    close: () => socket.end(),
    reset: async () => {
      await Bun.sleep(15)
      socket.resetAndDestroy()
    },
    gone,
  }
}
