/** The proxy, spoken to byte by byte and by the programs that people use. */

import { expect, test } from "bun:test"
import { createServer, type Socket } from "node:net"
import { openHandClock } from "../../../../kit/hand-clock.ts"
import { clientHello, listening, openBehind, openEcho, portOf } from "./behind-proxy.ts"

const violation = (host: string, port: number) => ({ kind: "host" as const, host, port })

test("a tunnel to an allowed name leads to the address it was looked up at", async () => {
  using echo = await openEcho()
  await using behind = await openBehind({ allowed: ["echo.test"], names: { "echo.test": ["127.0.0.1"] } })
  const line = await behind.dial()
  line.send(`CONNECT echo.test:${echo.port} HTTP/1.1\r\nHost: echo.test:${echo.port}\r\n\r\n`)
  expect(await line.until("\r\n\r\n")).toBe("HTTP/1.1 200 Connection established\r\n\r\n")
  line.send("hello")
  expect(await line.until("hello")).toBe("hello")
  line.shut()
  expect(await line.rest()).toBe("")
  expect(behind.proxy.violations()).toEqual([])
})

test("half of a tunnel can end while the other goes on", async () => {
  const late = await listening(
    createServer({ allowHalfOpen: true }, (socket) => {
      let got = ""
      socket.on("data", (bytes: Buffer) => (got += bytes.toString()))
      socket.on("end", () => socket.end(`got ${got}`))
    }),
  )
  await using behind = await openBehind({ allowed: ["late.test"], names: { "late.test": ["127.0.0.1"] } })
  const line = await behind.dial()
  line.send(`CONNECT late.test:${portOf(late)} HTTP/1.1\r\n\r\n`)
  await line.until("\r\n\r\n")
  line.send("abc")
  line.shut()
  expect(await line.rest()).toBe("got abc")
  late.close()
})

const others = [
  ["127.0.0.1", "127.0.0.1"],
  ["127.1", "127.0.0.1"],
  ["0x7f.1", "127.0.0.1"],
  ["2130706433", "127.0.0.1"],
  ["017700000001", "127.0.0.1"],
  ["127.0.0.1.", "127.0.0.1"],
  ["0.0.0.0", "0.0.0.0"],
  ["[::1]", "::1"],
  ["[::]", "::"],
  ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
  ["[fe80::1]", "fe80::1"],
  ["localhost", "localhost"],
  ["LOCALHOST.", "localhost"],
  ["a.localhost", "a.localhost"],
  ["169.254.169.254", "169.254.169.254"],
  ["metadata.google.internal", "metadata.google.internal"],
  ["10.0.0.5", "10.0.0.5"],
  ["192.168.1.1", "192.168.1.1"],
  ["224.0.0.1", "224.0.0.1"],
] as const

test.each(others)("%s is not reached although every host is allowed", async (written, host) => {
  using echo = await openEcho()
  await using behind = await openBehind({ allowed: ["*"] })
  const answer = await behind.exchange(`CONNECT ${written}:${echo.port} HTTP/1.1\r\n\r\n`)
  expect(answer).toStartWith("HTTP/1.1 403 Forbidden\r\n")
  expect(answer).toContain(`The sandbox blocked ${host.includes(":") ? `[${host}]` : host}:${echo.port}.`)
  expect(answer).toContain("sandbox.network.allowedDomains")
  expect(behind.proxy.violations()).toEqual([violation(host, echo.port)])
  expect(echo.seen()).toBe(0)
})

test.each([
  "exa%6dple.com:443",
  "127.0.0.1%25eth0:80",
  "a@b.test:80",
  "a..b:80",
  "example.com",
  "example.com:0",
  ":80",
  "[::1:80",
])("CONNECT %s is no request", async (target) => {
  await using behind = await openBehind({ allowed: ["*"] })
  expect(await behind.exchange(`CONNECT ${target} HTTP/1.1\r\n\r\n`)).toStartWith("HTTP/1.1 400 Bad Request\r\n")
})

test("an allowed public name that leads to this machine is refused, also beside a public address", async () => {
  using echo = await openEcho()
  const names = { "rebind.example.com": ["93.184.215.14", "127.0.0.1"] }
  await using behind = await openBehind({ allowed: ["rebind.example.com"], names })
  const answer = await behind.exchange(`CONNECT rebind.example.com:${echo.port} HTTP/1.1\r\n\r\n`)
  expect(answer).toStartWith("HTTP/1.1 403 Forbidden\r\n")
  expect(answer).toContain(`It leads to 127.0.0.1, this machine itself.`)
  expect(behind.proxy.violations()).toEqual([violation("rebind.example.com", echo.port)])
  expect(echo.seen()).toBe(0)
})

test("a port of this machine is reached when a line names it, by any of its usual names, and no other port", async () => {
  using echo = await openEcho()
  using other = await openEcho()
  await using behind = await openBehind({ allowed: [`localhost:${echo.port}`] })
  for (const host of ["localhost", "127.0.0.1", "127.1"]) {
    const line = await behind.dial()
    line.send(`CONNECT ${host}:${echo.port} HTTP/1.1\r\n\r\nping`)
    expect(await line.until("ping")).toEndWith("\r\n\r\nping")
    line.close()
  }
  expect(await behind.exchange(`CONNECT localhost:${other.port} HTTP/1.1\r\n\r\n`)).toStartWith("HTTP/1.1 403")
})

test("a denied host stays denied although all are allowed, and each call has its own account", async () => {
  await using behind = await openBehind({ allowed: ["*"], denied: ["*.bad.example"] })
  const as = (call: string) => `Proxy-Authorization: Basic ${btoa(`${call}:`)}\r\n`
  await behind.exchange(`CONNECT x.bad.example:443 HTTP/1.1\r\n${as("call-1")}\r\n`)
  await behind.exchange(`CONNECT y.bad.example:443 HTTP/1.1\r\n${as("call-2")}\r\n`)
  await behind.exchange(`CONNECT y.bad.example:443 HTTP/1.1\r\n${as("call-2")}\r\n`)
  expect(behind.proxy.violations("call-1")).toEqual([violation("x.bad.example", 443)])
  expect(behind.proxy.violations("call-2")).toEqual([violation("y.bad.example", 443)])
  expect(behind.proxy.violations()).toEqual([])
  behind.proxy.forget("call-2")
  expect(behind.proxy.violations("call-2")).toEqual([])
})

test.each([
  ["the same name", "tls.test", 16_384, true],
  ["the same name in other letters", "TLS.test.", 16_384, true],
  ["the same name in records of three bytes", "tls.test", 3, true],
  ["no name", undefined, 16_384, true],
  ["another name", "evil.example", 16_384, false],
  ["another name in records of three bytes", "evil.example", 3, false],
  ["a name with a null", "tls.test\0", 16_384, false],
] as const)("a TLS greeting with %s", async (_what, name, recordBytes, passes) => {
  using echo = await openEcho()
  await using behind = await openBehind({ allowed: ["tls.test"], names: { "tls.test": ["127.0.0.1"] } })
  const line = await behind.dial()
  line.send(`CONNECT tls.test:${echo.port} HTTP/1.1\r\n\r\n`)
  await line.until("\r\n\r\n")
  const hello = clientHello(name, recordBytes)
  // One byte by itself: what is undecided is held back.
  line.send(hello.subarray(0, 1))
  await Bun.sleep(10)
  line.send(hello.subarray(1))
  line.shut()
  expect(await line.rest()).toBe(passes ? hello.toString("latin1") : "")
  const wrong = name === "evil.example" ? name : "tls.test"
  expect(behind.proxy.violations()).toEqual(passes ? [] : [violation(wrong, echo.port)])
})

const badRequests: readonly (readonly [what: string, request: string, status: number])[] = [
  [
    "both framings",
    "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    400,
  ],
  [
    "two lengths",
    "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\nabcd",
    400,
  ],
  ["a list of lengths", "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: 4, 4\r\n\r\nabcd", 400],
  ["a signed length", "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nContent-Length: +4\r\n\r\nabcd", 400],
  ["an unknown encoding", "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: xchunked\r\n\r\n", 501],
  [
    "two encodings",
    "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
    501,
  ],
  [
    "a space before the colon",
    "POST http://a.test/ HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding : chunked\r\n\r\n",
    400,
  ],
  ["a folded header", "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX: a\r\n b\r\n\r\n", 400],
  ["a bare line feed", "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX: a\nHost: b\r\n\r\n", 400],
  ["a null byte", "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nX: a\0b\r\n\r\n", 400],
  ["another host in the header", "GET http://a.test/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", 400],
  ["another port in the header", "GET http://a.test/ HTTP/1.1\r\nHost: a.test:81\r\n\r\n", 400],
  ["two hosts", "GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\n\r\n", 400],
  ["a name and password", "GET http://u:p@a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", 400],
  ["a path alone", "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n", 400],
  ["https in this form", "GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", 400],
  ["another protocol", "SSH-2.0-OpenSSH_9\r\n\r\n", 400],
  ["CONNECT with another host", "CONNECT a.test:80 HTTP/1.1\r\nHost: evil.example:80\r\n\r\n", 400],
  ["CONNECT with a body", "CONNECT a.test:80 HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", 400],
  ["an oversize head", `GET http://a.test/ HTTP/1.1\r\nX: ${"a".repeat(70_000)}\r\n\r\n`, 431],
]

test.each(badRequests)("refused before anything is looked up: %s", async (_what, request, status) => {
  await using behind = await openBehind({ allowed: ["*"], ask: async () => "allow" })
  expect(await behind.exchange(request)).toStartWith(`HTTP/1.1 ${status} `)
  expect(behind.asked).toEqual([])
})

test("requests on one connection are each judged, and each goes to its own host", async () => {
  const seen: string[] = []
  using site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      seen.push(
        `${request.method} ${request.headers.get("host")} ${new URL(request.url).pathname} ${await request.text()}`,
      )
      const { headers } = request
      return new Response(
        `auth ${headers.get("proxy-authorization")} secret ${headers.get("x-hop")} connection ${headers.get("connection")}`,
      )
    },
  })
  const { port } = site
  const names = { "one.test": ["127.0.0.1"], "two.test": ["127.0.0.1"] }
  await using behind = await openBehind({ allowed: ["one.test", "two.test"], names })
  const chunked =
    "Transfer-Encoding: chunked\r\nProxy-Authorization: Basic Yzo=\r\nX-Hop: 1\r\nConnection: keep-alive, x-hop\r\n\r\n3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n"
  const answer = await behind.exchange(
    `POST http://one.test:${port}/a HTTP/1.1\r\nHost: one.test:${port}\r\n${chunked}`,
    `POST http://two.test:${port}/b HTTP/1.1\r\nHost: two.test:${port}\r\nContent-Length: 3\r\n\r\nxyz`,
    `GET http://three.test:${port}/c HTTP/1.1\r\nHost: three.test:${port}\r\n\r\n`,
    `GET http://one.test:${port}/never HTTP/1.1\r\nHost: one.test:${port}\r\n\r\n`,
  )
  expect(seen).toEqual([`POST one.test:${port} /a abcde`, `POST two.test:${port} /b xyz`])
  expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200", "HTTP/1.1 403"])
  expect(answer).toContain("auth null secret null connection close")
  expect(behind.proxy.violations()).toEqual([violation("three.test", Number(port))])
})

test("a chunk that is not what it says ends the connection", async () => {
  const seen: string[] = []
  using site = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => new Response(`${seen.push(await request.text())}`),
  })
  await using behind = await openBehind({ allowed: ["one.test"], names: { "one.test": ["127.0.0.1"] } })
  const head = `POST http://one.test:${site.port}/ HTTP/1.1\r\nHost: one.test:${site.port}\r\nTransfer-Encoding: chunked\r\n\r\n`
  for (const body of ["3\r\nabcd\r\n0\r\n\r\n", "0x3\r\nabc\r\n0\r\n\r\n", "3\nabc\n0\n\n", "-1\r\n\r\n"]) {
    const line = await behind.dial()
    line.send(head + body)
    line.shut()
    expect(await line.rest()).not.toContain(" 200 ")
    line.close()
  }
  expect(seen).toEqual([])
})

test("a head that comes too slowly is given up after half a minute", async () => {
  const clock = openHandClock()
  await using behind = await openBehind({ allowed: ["*"], clock })
  const line = await behind.dial()
  line.send("GET http://a.test/ HTTP/1.1\r\n")
  await Bun.sleep(20)
  await clock.pass(29_000)
  line.send("X: a\r\n")
  await Bun.sleep(20)
  await clock.pass(1_000)
  expect(await line.until("\r\n\r\n")).toStartWith("HTTP/1.1 408 ")
  line.close()
})

test("a connection waits while a person is asked, and the question is withdrawn when the program is gone", async () => {
  using echo = await openEcho()
  const answers = Promise.withResolvers<"allow" | "deny">()
  const withdrawn = Promise.withResolvers<string>()
  await using behind = await openBehind({
    names: { "new.test": ["127.0.0.1"] },
    ask: ({ callId }, signal) => {
      signal.addEventListener("abort", () => withdrawn.resolve(`${callId}`))
      return answers.promise
    },
  })
  const auth = `Proxy-Authorization: Basic ${btoa("call-9:")}\r\n`
  const line = await behind.dial()
  line.send(`CONNECT new.test:${echo.port} HTTP/1.1\r\n${auth}\r\n`)
  while (behind.asked.length === 0) await Bun.sleep(1)
  line.close()
  expect(await withdrawn.promise).toBe("call-9")
  expect(behind.asked).toEqual([{ host: "new.test", port: echo.port, callId: "call-9" }])
  expect(behind.proxy.violations("call-9")).toEqual([])
  while (behind.proxy.connections() > 0) await Bun.sleep(1)
})

test("a person's answer opens or closes the way", async () => {
  using echo = await openEcho()
  const names = { "yes.example.com": ["127.0.0.1"], "no.test": ["127.0.0.1"], "yes.test": ["127.0.0.1"] }
  await using behind = await openBehind({ names, ask: async ({ host }) => (host.startsWith("yes") ? "allow" : "deny") })
  // A yes to a public name is no yes to this machine.
  for (const host of ["yes.example.com", "no.test", "yes.test"])
    expect(await behind.exchange(`CONNECT ${host}:${echo.port} HTTP/1.1\r\n\r\n`)).toStartWith("HTTP/1.1 403")
  expect(echo.seen()).toBe(0)
})

const greeting = Buffer.from([5, 1, 0])
const asking = (kind: number, address: Buffer, port: number, command = 1): Buffer =>
  Buffer.concat([Buffer.from([5, command, 0, kind]), address, Buffer.from([port >> 8, port & 255])])
const named = (name: string): Buffer => Buffer.concat([Buffer.from([name.length]), Buffer.from(name, "latin1")])

test("SOCKS5 by name and by address, with and without a call", async () => {
  using echo = await openEcho()
  await using behind = await openBehind({ allowed: ["echo.test", "127.0.0.1"], names: { "echo.test": ["127.0.0.1"] } })
  const ways = [asking(3, named("Echo.test"), echo.port), asking(1, Buffer.from([127, 0, 0, 1]), echo.port)]
  for (const way of ways) {
    const line = await behind.dial()
    line.send(greeting)
    line.send(way)
    line.send("ping")
    expect(await line.until("ping")).toBe("\x05\x00\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00ping")
    line.close()
  }
  const denied = await behind.dial()
  denied.send(Buffer.concat([Buffer.from([5, 2, 0, 2]), Buffer.from([1, 3]), Buffer.from("abc"), Buffer.from([0])]))
  denied.send(asking(3, named("no.example"), 22))
  expect(await denied.rest()).toBe("\x05\x02\x01\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00")
  denied.close()
  expect(behind.proxy.violations("abc")).toEqual([violation("no.example", 22)])
})

test.each([
  ["loopback of IPv6", asking(4, Buffer.from([...Array(15).fill(0), 1]), 80), 2],
  ["a mapped address", asking(4, Buffer.from([...Array(10).fill(0), 255, 255, 127, 0, 0, 1]), 80), 2],
  ["an address as a name", asking(3, named("0x7f.1"), 80), 2],
  ["a name that is none", asking(3, named("a b"), 80), 8],
  ["a name with a null", asking(3, named("a.test\0"), 80), 8],
  ["listening", asking(3, named("a.test"), 80, 2), 7],
  ["datagrams", asking(3, named("a.test"), 80, 3), 7],
  ["an unknown kind of address", asking(9, named("a.test"), 80), 8],
  ["a name nobody knows", asking(3, named("a.example"), 80), 4],
] as const)("SOCKS5 refuses %s", async (_what, way, code) => {
  await using behind = await openBehind({ allowed: ["*"] })
  expect(Buffer.from(await behind.exchange(greeting, way), "latin1").subarray(2, 4)).toEqual(Buffer.from([5, code]))
})

test("a server that answers nonsense is told as such", async () => {
  const nonsense = await listening(
    createServer(
      (socket) => void socket.end("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc"),
    ),
  )
  await using behind = await openBehind({ allowed: ["odd.test"], names: { "odd.test": ["127.0.0.1"] } })
  const url = `odd.test:${portOf(nonsense)}`
  expect(await behind.exchange(`GET http://${url}/ HTTP/1.1\r\nHost: ${url}\r\n\r\n`)).toStartWith("HTTP/1.1 502 ")
  nonsense.close()
})

test("three hundred tunnels at once, and nothing is left of them", async () => {
  using echo = await openEcho()
  await using behind = await openBehind({ allowed: ["echo.test"], names: { "echo.test": ["127.0.0.1"] } })
  const one = async (at: number): Promise<string> => {
    const line = await behind.dial()
    line.send(`CONNECT echo.test:${echo.port} HTTP/1.1\r\n\r\n`)
    await line.until("\r\n\r\n")
    line.send(`number ${at}.`)
    line.shut()
    return line.rest()
  }
  const numbers = Array.from({ length: 300 }, (_, at) => at)
  expect(await Promise.all(numbers.map(one))).toEqual(numbers.map((at) => `number ${at}.`))
  while (behind.proxy.connections() > 0) await Bun.sleep(1)
})

test("fifty megabytes go through a reader that is slow, and are not heaped up here", async () => {
  const size = 50_000_000
  const chunk = Buffer.alloc(100_000, "x")
  let sent = 0
  const source = await listening(
    createServer((socket: Socket) => {
      socket.on("error", () => socket.destroy())
      const more = (): void => {
        while (sent < size) {
          sent += chunk.length
          if (!socket.write(chunk)) return void socket.once("drain", more)
        }
        socket.end()
      }
      more()
    }),
  )
  await using behind = await openBehind({ allowed: ["much.test"], names: { "much.test": ["127.0.0.1"] } })
  let got = 0
  let isFirst = true
  let sentWhilePaused = 0
  const done = Promise.withResolvers<void>()
  const client = await Bun.connect({
    hostname: "127.0.0.1",
    port: behind.port,
    socket: {
      async data(socket, bytes) {
        got += bytes.length
        if (!isFirst) return
        isFirst = false
        socket.pause()
        await Bun.sleep(300)
        sentWhilePaused = sent
        socket.resume()
      },
      close: () => done.resolve(),
    },
  })
  client.write(`CONNECT much.test:${portOf(source)} HTTP/1.1\r\n\r\n`)
  await done.promise
  source.close()
  expect(got).toBe("HTTP/1.1 200 Connection established\r\n\r\n".length + size)
  // The buffers of the system and ours hold some megabytes; without backpressure it would be everything.
  expect(sentWhilePaused).toBeLessThan(size / 2)
})
