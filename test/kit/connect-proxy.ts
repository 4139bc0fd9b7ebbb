/** A real HTTP proxy on loopback: tunnels by CONNECT, passes plain requests on, and writes down what it was asked. */

import { createServer, request } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"

export interface ConnectProxy extends AsyncDisposable {
  readonly port: number
  /** Without credentials. */
  readonly url: string
  /** Each request, such as `CONNECT api.test:443`, with who asked. */
  readonly asked: () => readonly { readonly line: string; readonly user: string | undefined }[]
}

export interface ProxyManner {
  /** `user:password`; whoever does not say so gets 407. */
  readonly password?: string
  /** Hosts that it refuses with 403. */
  readonly refuses?: readonly string[]
  /** Where all names lead: a port of this machine, by the port that was asked for. */
  readonly leads?: (host: string, port: number) => number
}

export async function openConnectProxy({ password, refuses = [], leads }: ProxyManner = {}): Promise<ConnectProxy> {
  const asked: { line: string; user: string | undefined }[] = []
  const sockets = new Set<Socket>()
  const user = (header: string | undefined): string | undefined =>
    header === undefined ? undefined : Buffer.from(header.replace(/^Basic /i, ""), "base64").toString()
  const judged = (host: string, header: string | undefined): 200 | 403 | 407 => {
    if (password !== undefined && user(header) !== password) return 407
    return refuses.includes(host) ? 403 : 200
  }
  const server = createServer((incoming, response) => {
    const header = incoming.headers["proxy-authorization"]
    const url = new URL(incoming.url ?? "")
    asked.push({ line: `${incoming.method} ${url.href}`, user: user(header) })
    const status = judged(url.hostname, header)
    if (status !== 200) return void response.writeHead(status).end()
    const port = Number(url.port || 80)
    const { "proxy-authorization": _own, ...headers } = incoming.headers
    const onward = request(
      {
        host: "127.0.0.1",
        port: leads?.(url.hostname, port) ?? port,
        path: url.pathname + url.search,
        method: incoming.method,
        headers,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    onward.on("error", () => response.writeHead(502).end())
    incoming.pipe(onward)
  })
  server.on("connect", (incoming, client: Socket, head: Buffer) => {
    sockets.add(client)
    client.on("error", () => {})
    const header = incoming.headers["proxy-authorization"]
    asked.push({ line: `CONNECT ${incoming.url}`, user: user(header) })
    const [host = "", port = "443"] = (incoming.url ?? "").split(/:(?=\d+$)/)
    const status = judged(host, header)
    if (status !== 200) return void client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
    const onward = connect(leads?.(host, Number(port)) ?? Number(port), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n")
      if (head.length > 0) onward.write(head)
      client.pipe(onward)
      onward.pipe(client)
    })
    sockets.add(onward)
    onward.on("error", () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
