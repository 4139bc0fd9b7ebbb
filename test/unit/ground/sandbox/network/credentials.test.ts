/** Requests with sentinels through the proxy, byte by byte: the named host gets the secret in their place, others never. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { connect as connectPlain } from "node:net"
import { connect, type TLSSocket } from "node:tls"
import fc from "fast-check"
import { openAuthority } from "#ground/sandbox/credentials/certificate.ts"
import { openVault } from "#ground/sandbox/credentials/vault.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { temporaryFolder } from "../../../../kit/tmp.ts"
import { openBehind } from "./behind-proxy.ts"
import { runs } from "../../../../kit/runs.ts"

const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"

interface Place extends AsyncDisposable {
  readonly port: number
  readonly sentinel: string
  /** Sends bytes in pieces over TLS to a host, and gives what came back and what had arrived there. */
  readonly send: (
    host: string,
    pieces: readonly string[],
  ) => Promise<{ readonly got: string; readonly arrived: string }>
}

/** How the server answers, given what arrived. */
type Answer = (arrived: string) => readonly string[]

async function openPlace(answer: Answer, { authority = "trusted" } = {}): Promise<Place> {
  const folder = temporaryFolder()
  const real = openAuthority("Real", systemClock.now)
  const { key, certificate: cert } = real.issue("named.test", "other.test")
  let arrived = ""
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    tls: { key, cert },
    socket: {
      async data(socket, bytes) {
        arrived += bytes.toString("latin1")
        if (!/END$|Upgrade: websocket[^]*\r\n\r\n$/.test(arrived)) return
        for (const piece of answer(arrived)) {
          socket.write(Buffer.from(piece, "latin1"))
          socket.flush()
          await Bun.sleep(0)
        }
        socket.end()
      },
    },
  })
  writeFileSync(folder.join("real.pem"), real.certificate)
  const vault = openVault({ folder: folder.join("vault"), ids: systemIds, clock: systemClock })
  const lines = [{ from: { kind: "variable", name: "T" }, hosts: [`named.test:${server.port}`], because: "" }] as const
  const { variables } = vault.handIn(lines, {
    T: secret,
    ...(authority === "trusted" && { NODE_EXTRA_CA_CERTS: folder.join("real.pem") }),
  })
  const trusted = [await Bun.file(variables["NODE_EXTRA_CA_CERTS"] ?? "").text(), real.certificate]
  let sockets = 0
  const behind = await openBehind({
    allowed: ["*.test"],
    names: { "named.test": ["127.0.0.1"], "other.test": ["127.0.0.1"] },
    credentials: () => ({ ...vault, socket: () => folder.join(`s${sockets++}`) }),
  })

  const open = async (host: string): Promise<TLSSocket> => {
    const plain = connectPlain(behind.port, "127.0.0.1")
    plain.write(`CONNECT ${host}:${server.port} HTTP/1.1\r\nProxy-Authorization: Basic ${btoa("call:x")}\r\n\r\n`)
    await new Promise((resolve) => plain.once("data", resolve))
    const secure = connect({ socket: plain, servername: host, ca: trusted })
    await new Promise((resolve, reject) => secure.once("secureConnect", resolve).once("error", reject))
    return secure
  }

  return {
    port: server.port,
    sentinel: variables["T"] ?? "",
    async send(host, pieces) {
      arrived = ""
      const client = await open(host)
      let got = ""
      client.on("data", (bytes: Buffer) => (got += bytes.toString("latin1")))
      const over = new Promise((resolve) => client.once("close", resolve).once("end", resolve).once("error", resolve))
      for (const piece of pieces) {
        client.write(Buffer.from(piece, "latin1"))
        await Bun.sleep(0)
      }
      await over
      client.destroy()
      return { got, arrived }
    },
    async [Symbol.asyncDispose]() {
      await behind[Symbol.asyncDispose]()
      server.stop(true)
      folder[Symbol.dispose]()
    },
  }
}

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const ends = [0, ...cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b), text.length]
  return ends.slice(1).map((end, i) => text.slice(ends[i], end))
}

/** Repeats all that arrived, and says so in a header. */
const echo =
  (framing: "length" | "chunked" | "close", cuts: readonly number[]): Answer =>
  (arrived) => {
    const said = /^authorization: (.*)\r$/im.exec(arrived)?.[1] ?? ""
    const how = {
      length: `Content-Length: ${arrived.length}\r\n`,
      chunked: "Transfer-Encoding: chunked\r\n",
      close: "",
    }
    const pieces = cutAt(arrived, cuts).filter((piece) => piece !== "")
    const body = pieces.map((piece) => (framing === "chunked" ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece))
    return [
      `HTTP/1.1 200 OK\r\n${how[framing]}X-Said: ${said}\r\n\r\n`,
      ...body,
      ...(framing === "chunked" ? ["0\r\n\r\n"] : []),
    ]
  }

const linesOf = (text: string): readonly string[] =>
  text
    .slice(0, text.indexOf("\r\n\r\n"))
    .split("\r\n")
    .filter((line) => !/^(?:accept-encoding|connection|proxy-\w+):/i.test(line))
const bodyOf = (text: string): string => text.slice(text.indexOf("\r\n\r\n") + 4)
const unchunked = (text: string): string => {
  let [rest, body] = [text, ""]
  for (;;) {
    const [line = ""] = rest.split("\r\n", 1)
    const size = Number.parseInt(line, 16)
    if (!(size > 0)) return body
    body += rest.slice(line.length + 2, line.length + 2 + size)
    rest = rest.slice(line.length + 4 + size)
  }
}

const cased = (name: string): fc.Arbitrary<string> => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase())

test("random requests: the named host gets the secret exactly where the sentinel was, another host never", async () => {
  let answer: Answer = echo("close", [])
  await using place = await openPlace((arrived) => answer(arrived))
  const { sentinel, port } = place
  const value = fc.oneof(
    fc.constantFrom(sentinel, `Bearer ${sentinel}`, `a=${sentinel}; b=${sentinel}`, sentinel.slice(0, 20), "plain"),
    fc.string({ maxLength: 20 }).map((name) => `Basic ${btoa(`${encodeURIComponent(name)}:${sentinel}`)}`),
  )
  const header = fc.tuple(
    fc.oneof(
      cased("Authorization"),
      cased("Private-Token"),
      cased("X-Key"),
      cased("User-Agent"),
      cased("Content-Note"),
    ),
    value,
  )
  const cuts = fc.array(fc.nat(2000), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(header, { maxLength: 4 }),
      fc.constantFrom("named.test", "other.test"),
      cuts,
      cuts,
      fc.constantFrom("length", "chunked", "close"),
      async (headers, host, sentCuts, answerCuts, framing) => {
        answer = echo(framing, answerCuts)
        const body = `${sentinel} in the body END`
        const head = `POST /${sentinel}?q=${sentinel} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n`
        const text = `${head}${headers.map(([name, each]) => `${name}: ${each}\r\n`).join("")}\r\n${body}`
        const { got, arrived } = await place.send(host, cutAt(text, sentCuts))
        if (host === "other.test") {
          expect(arrived).toBe(text)
          expect(arrived).not.toContain(secret)
          return
        }
        const expected = linesOf(text).map((line) =>
          /^(?:authorization|private-token|x-key):/i.test(line)
            ? line
                .replaceAll(sentinel, secret)
                .replace(/(?<=: Basic )\S+$/, (word) => btoa(atob(word).replaceAll(sentinel, secret)))
            : line,
        )
        expect(linesOf(arrived)).toEqual(expected)
        expect(bodyOf(arrived)).toBe(body)
        // What comes back shows what was sent, but for what the proxy itself adds.
        expect(got).not.toContain(secret)
        const shown = framing === "chunked" ? unchunked(bodyOf(got)) : bodyOf(got)
        expect(shown).toHaveLength(arrived.length)
        expect(linesOf(shown)).toEqual(linesOf(text))
      },
    ),
    { ...runs(60) },
  )
}, 300_000)

test("a server whose certificate is not trusted gets nothing, and the client is told", async () => {
  await using place = await openPlace(echo("close", []), { authority: "unknown" })
  const text = `GET / HTTP/1.1\r\nHost: named.test:${place.port}\r\nX-Key: ${place.sentinel}\r\n\r\n`
  const { got, arrived } = await place.send("named.test", [text])
  expect(arrived).toBe("")
  expect(got).toStartWith("HTTP/1.1 502 Bad Gateway\r\n")
  expect(got).toContain("No secure connection to named.test")
})

test("a compressed answer to a request with a secret is not passed on; one without is", async () => {
  await using place = await openPlace(() => [
    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nzz",
  ])
  const request = (more: string): string =>
    `POST / HTTP/1.1\r\nHost: named.test:${place.port}\r\n${more}Connection: close\r\nContent-Length: 3\r\n\r\nEND`
  expect((await place.send("named.test", [request(`X-Key: ${place.sentinel}\r\n`)])).got).toStartWith("HTTP/1.1 502")
  expect((await place.send("named.test", [request("")])).got).toEndWith("\r\n\r\nzz")
})

test("after an upgrade bytes go both ways, and what repeats the secret shows the sentinel", async () => {
  await using place = await openPlace(() => [
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    `\x81\x28${secret.slice(0, 9)}`,
    `${secret.slice(9)}`,
  ])
  const { got, arrived } = await place.send("named.test", [
    `GET / HTTP/1.1\r\nHost: named.test:${place.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Extensions: permessage-deflate\r\nX-Key: ${place.sentinel}\r\n\r\n`,
  ])
  expect(arrived).toContain(`X-Key: ${secret}\r\n`)
  expect(arrived).not.toContain("deflate")
  expect(got).toEndWith(`\r\n\r\n\x81\x28${place.sentinel}`)
})
