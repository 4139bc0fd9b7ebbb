/** Inside CONNECT to an allowed host, plain requests named another host in their Host header, and reached it. */

import { expect, test } from "bun:test"
import { createServer, type IncomingMessage } from "node:http"
import { createServer as createPlain } from "node:net"
import fc from "fast-check"
import { type Behind, listening, openBehind, portOf } from "../unit/ground/sandbox/network/behind-proxy.ts"

interface Site extends AsyncDisposable {
  readonly behind: Behind
  readonly port: number
  readonly seen: string[]
}

/** One server for two names, as at a provider that serves many sites; only one of them is allowed. */
async function openSite(): Promise<Site> {
  const seen: string[] = []
  const server = createServer((request: IncomingMessage, response) => {
    request.resume()
    request.on("end", () => {
      seen.push(`${request.headers.host} ${request.method} ${request.url}`)
      response.end("page")
    })
  })
  server.on("upgrade", (request, socket) => {
    seen.push(`${request.headers.host} upgrade`)
    socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n")
    socket.pipe(socket)
  })
  await listening(server)
  const behind = await openBehind({ allowed: ["allowed.test"], names: { "allowed.test": ["127.0.0.1"] } })
  return {
    behind,
    port: portOf(server),
    seen,
    async [Symbol.asyncDispose]() {
      await behind[Symbol.asyncDispose]()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** What a client gets that makes a tunnel and sends this in it, piece by piece. */
async function inTunnel({ behind, port }: Site, ...parts: readonly string[]): Promise<string> {
  const line = await behind.dial()
  line.send(`CONNECT allowed.test:${port} HTTP/1.1\r\n\r\n`)
  await line.until("\r\n\r\n")
  for (const part of parts) {
    line.send(part)
    await Bun.sleep(2)
  }
  line.shut()
  const answer = await line.rest()
  line.close()
  return answer
}

const get = (host: string, path = "/", more = ""): string => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`

const hidden: readonly (readonly [string, (port: number) => readonly string[]])[] = [
  ["in the first request", () => [get("other.test")]],
  ["in the second request", (port) => [get(`allowed.test:${port}`), get("other.test", "/second")]],
  ["in a second request sent with the first", (port) => [get(`allowed.test:${port}`) + get("other.test", "/second")]],
  ["in a second Host header", (port) => [get(`allowed.test:${port}`, "/", "Host: other.test\r\n")]],
  ["in the address", (port) => [get(`allowed.test:${port}`, "http://other.test/")]],
  ["on another port", () => [get("allowed.test:1")]],
  ["after empty lines", () => [`\r\n\r\n${get("other.test")}`]],
  ["with a method of its own", () => [get("other.test").replace("GET", "fetch-it")]],
  ["in pieces", () => ["G", "ET / HT", "TP/1.1\r\nHo", "st: other.test\r\n\r\n"]],
  ["in a tunnel inside", () => ["CONNECT other.test:443 HTTP/1.1\r\nHost: other.test:443\r\n\r\n"]],
  ["in HTTP/2 without TLS", () => ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"]],
  [
    "behind a body that is shorter than it says",
    (port) => [
      `POST / HTTP/1.1\r\nHost: allowed.test:${port}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${get("other.test")}`,
    ],
  ],
]

test.each(hidden)("another host is not reached %s", async (_, parts) => {
  await using site = await openSite()
  await inTunnel(site, ...parts(site.port))
  expect(site.seen.filter((line) => !line.startsWith(`allowed.test:${site.port} `))).toEqual([])
  expect(site.seen.filter((line) => line.includes("second"))).toEqual([])
})

test("the other host is named as what was refused", async () => {
  await using site = await openSite()
  expect(await inTunnel(site, get("other.test"))).toStartWith("HTTP/1.1 400 Bad Request\r\n")
  expect(site.behind.proxy.violations()).toEqual([{ kind: "host", host: "other.test", port: site.port }])
})

test("requests for the host of the tunnel go through: several, with bodies, with an upgrade, in pieces", async () => {
  await using site = await openSite()
  const host = `allowed.test:${site.port}`
  const post = `POST /post HTTP/1.1\r\nhost: ${host}\r\nContent-Length: 4\r\n\r\nbody`
  const answer = await inTunnel(
    site,
    get(host),
    get("Allowed.Test", "/spelled"),
    post,
    "GET /in",
    ` HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
  )
  expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(4)
  expect(site.seen.map((line) => line.split(" ").slice(1).join(" "))).toEqual([
    "GET /",
    "GET /spelled",
    "POST /post",
    "GET /in",
  ])
  const line = await site.behind.dial()
  line.send(`CONNECT ${host} HTTP/1.1\r\n\r\n`)
  await line.until("\r\n\r\n")
  line.send(get(host, "/", "Connection: Upgrade\r\nUpgrade: echo\r\n"))
  expect(await line.until("\r\n\r\n")).toStartWith("HTTP/1.1 101")
  line.send(Buffer.from("\x81\x02hi", "latin1"))
  expect(await line.until("hi")).toBe("\x81\x02hi")
  line.close()
})

test("other protocols pass, whoever speaks first", async () => {
  const server = await listening(
    createPlain((socket) => {
      socket.on("error", () => socket.destroy())
      socket.write("220 ready\r\n")
      socket.on("data", (bytes: Buffer) => void socket.write(`got ${bytes.toString()}`))
    }),
  )
  await using behind = await openBehind({ allowed: ["mail.test"], names: { "mail.test": ["127.0.0.1"] } })
  const line = await behind.dial()
  line.send(`CONNECT mail.test:${portOf(server)} HTTP/1.1\r\n\r\n`)
  await line.until("220 ready\r\n")
  for (const word of ["EHLO me\r\n", "one", "SSH-2.0-x\r\n"]) {
    line.send(word)
    expect(await line.until(word)).toBe(`got ${word}`)
  }
  line.close()
  server.close()
})

test("however a request is cut into pieces, no other host is reached", async () => {
  await using site = await openSite()
  const text = `${get(`allowed.test:${site.port}`)}${get("other.test", "/second")}`
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 4 }), async (cuts) => {
      const ends = [0, ...cuts.toSorted((a, b) => a - b), text.length]
      await inTunnel(site, ...ends.slice(1).map((end, i) => text.slice(ends[i], end)))
      expect(site.seen.filter((line) => !line.startsWith("allowed.test"))).toEqual([])
    }),
    { numRuns: 30 },
  )
})
