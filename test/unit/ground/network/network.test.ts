/** Connections over real sockets: through proxies, with certificates, and offline. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import type { AddressInfo } from "node:net"
import { createServer } from "node:tls"
import { networkWords } from "#ground/models/network-words.ts"
import { openNetwork, type OwnNetwork } from "#ground/network/network.ts"
import type { ProxyChoice } from "#ground/network/proxies.ts"
import type { Certificate } from "#ground/network/tls.ts"
import { openAuthority } from "#ground/sandbox/credentials/certificate.ts"
import { systemClock } from "#lib/clock.ts"
import type { ConnectionFact, Purpose } from "#lib/network.ts"
import { ok } from "#lib/result.ts"
import { openConnectProxy } from "../../../kit/connect-proxy.ts"
import { clientCertificateOf } from "../../../kit/client-certificate.ts"

const authority = openAuthority("Authority of the test", systemClock.now)
const own = clientCertificateOf("ann")
const model: Purpose = { why: "model", name: "local", chosenBy: "user" }
const web: Purpose = { why: "web", chosenBy: "others" }
const never = new AbortController().signal

const { key, certificate: cert } = authority.issue("api.test", "localhost")
/** Says which page was asked for, and who signed in with a certificate. */
const secure = createServer({ key, cert, ca: own.cert, requestCert: true, rejectUnauthorized: false }, (socket) => {
  socket.on("error", () => {})
  socket.once("data", (bytes) => {
    const { CN: who = "nobody" } = socket.getPeerCertificate().subject ?? {}
    const text = `${bytes.toString().split(" ")[1]} ${String(who)}`
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n${text}`)
  })
})
const plain = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => new Response(new URL(request.url).pathname),
})
let port = 0
beforeAll(async () => {
  await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve))
  port = (secure.address() as AddressInfo).port
})
afterAll(() => {
  secure.close()
  void plain.stop(true)
})

interface Opened {
  readonly network: OwnNetwork
  readonly heard: ConnectionFact[]
  readonly ask: (url: string, purpose?: Purpose) => Promise<string>
}

function open(
  parts: { proxies?: Partial<ProxyChoice>; certificate?: Certificate; offline?: string; trusts?: "nobody" } = {},
): Opened {
  const { proxies, certificate, offline, trusts } = parts
  const network = openNetwork({
    proxies: () => ({ except: [], ...proxies }),
    certificate: () => ok(certificate),
    ca: () => ok(trusts === "nobody" ? undefined : [authority.certificate]),
    ...(offline !== undefined && { offline }),
  })
  const heard: ConnectionFact[] = []
  const listening = network.observedBy((fact) => heard.push(fact))
  const ask = (url: string, purpose = model): Promise<string> =>
    listening.fetch(purpose, url).then(
      async (response) => `${response.status} ${await response.text()}`,
      (error: unknown) => networkWords(error),
    )
  return { network, heard, ask }
}

/** A request as the web and hooks make it: to an address that was resolved before, or through the proxy. */
async function askPinned({ network }: Opened, url: string, purpose: Purpose): Promise<string> {
  const { protocol, hostname: host } = new URL(url)
  const scheme = protocol === "https:" ? "https" : "http"
  const answer = await network.request(purpose, {
    address: { url, host, scheme },
    ip: "127.0.0.1",
    headers: {},
    signal: never,
    clock: systemClock,
    connectMilliseconds: 10_000,
  })
  if (!answer.ok) return `${answer.failure.when}: ${answer.failure.why}`
  const chunks: Buffer[] = []
  for await (const chunk of answer.value) chunks.push(Buffer.from(chunk))
  return `${answer.value.statusCode} ${Buffer.concat(chunks).toString()}`
}

const named = (url: string, from = "HTTPS_PROXY") => ({ https: { url, from }, http: { url, from: "HTTP_PROXY" } })

test("both kinds of requests go through the proxy, by name, with the user and password, and are told", async () => {
  await using proxy = await openConnectProxy({
    password: "ann:se:cret pass",
    leads: (_, asked) => (asked === 80 ? Number(plain.port) : port),
  })
  const url = `http://ann:se%3Acret%20pass@127.0.0.1:${proxy.port}`
  const through = open({ proxies: named(url) })
  expect(await through.ask("https://api.test/one")).toBe("200 /one nobody")
  expect(await through.ask("http://plain.test/two")).toBe("200 /two")
  expect(await askPinned(through, "https://api.test/three", web)).toBe("200 /three nobody")
  expect(proxy.asked()).toEqual([
    { line: "CONNECT api.test:443", user: "ann:se:cret pass" },
    { line: "GET http://plain.test/two", user: "ann:se:cret pass" },
    { line: "CONNECT api.test:443", user: "ann:se:cret pass" },
  ])
  const shown = `127.0.0.1:${proxy.port}`
  expect(through.heard).toEqual([
    { why: "model", name: "local", host: "api.test", port: 443, proxy: shown },
    { why: "model", name: "local", host: "plain.test", port: 80, proxy: shown },
  ])
  // This machine is reached directly, whatever the proxy is.
  expect(await through.ask(`https://localhost:${port}/four`)).toBe("200 /four nobody")
  expect(proxy.asked()).toHaveLength(3)
  expect(through.network.proxyOf("https://api.test/")).toBe(shown)
})

test("what the proxy did wrong is said, with its address, its setting, and never its password", async () => {
  await using proxy = await openConnectProxy({ password: "ann:right", refuses: ["closed.test"], leads: () => port })
  const shown = `127.0.0.1:${proxy.port}`
  const wrong = open({ proxies: named(`http://ann:hidden-one@${shown}`, "https_proxy") })
  const refused = `the proxy ${shown} wants a user name and password, or rejected them (407). Put user:password@ before the host in`
  expect(await wrong.ask("https://api.test/")).toBe(`${refused} https_proxy`)
  expect(await wrong.ask("http://api.test/")).toBe(`${refused} HTTP_PROXY`)
  expect(await askPinned(wrong, "https://api.test/", web)).toBe(`after: ${refused} https_proxy`)
  const right = open({ proxies: named(`http://ann:right@${shown}`) })
  expect(await right.ask("https://closed.test/")).toBe(
    `the proxy ${shown} refused to connect to closed.test (403). Ask for closed.test to be allowed, or add it to NO_PROXY`,
  )
  const gone = open({ proxies: named("http://ann:hidden-one@127.0.0.1:1", "network.proxy") })
  expect(await gone.ask("https://api.test/")).toBe(
    "the proxy 127.0.0.1:1 cannot be reached: connection refused. Check network.proxy",
  )
  const nameless = open({ proxies: named("http://ann:hidden-one@no-such-proxy.invalid:3128") })
  expect(await nameless.ask("https://api.test/")).toMatch(
    /^the proxy no-such-proxy.invalid:3128 cannot be reached: .* Check HTTPS_PROXY$/,
  )
  const untrusting = open({ proxies: named(`http://ann:right@${shown}`), trusts: "nobody" })
  expect(await untrusting.ask("https://api.test/")).toBe(
    "its certificate is not trusted; if your company issued it, set NODE_EXTRA_CA_CERTS to its file",
  )
  expect(await open({ proxies: named("socks5://p.test") }).ask("https://api.test/")).toBe(
    "HTTPS_PROXY names a proxy of the kind socks5. Only http and https proxies work",
  )
})

test("the user's certificate is shown to addresses of the user's own, and to no others", async () => {
  await using proxy = await openConnectProxy({ leads: () => port })
  for (const proxies of [undefined, named(proxy.url)]) {
    const signed = open({ ...(proxies && { proxies }), certificate: own })
    const base = proxies ? "https://api.test" : `https://localhost:${port}`
    expect(await signed.ask(`${base}/a`)).toBe("200 /a ann")
    expect(await askPinned(signed, `${base}/b`, { why: "hook", chosenBy: "user" })).toBe("200 /b ann")
    expect(await askPinned(signed, `${base}/c`, web)).toBe("200 /c nobody")
    expect(await signed.ask(`${base}/d`, { why: "mcp", name: "x", chosenBy: "others" })).toBe("200 /d nobody")
  }
})

test("offline, only the permitted addresses are contacted, only as models, and every refusal is told", async () => {
  const words = "Offline"
  const { network, heard, ask } = open({ offline: words })
  const address = `http://127.0.0.1:${plain.port}`
  expect(await ask(`${address}/early`)).toBe(`127.0.0.1:${plain.port} is not contacted. Offline`)
  network.permit([`${address}/v1`])
  expect(await ask(`${address}/v1/x`)).toBe("200 /v1/x")
  expect(await ask(`${address}/x`, web)).toContain(words)
  expect(await ask(`http://localhost:${plain.port}/x`)).toContain(words)
  expect(await askPinned({ network, heard, ask }, `${address}/x`, web)).toContain(words)
  expect(network.refusal(web, "https://a.test/")).toBe(words)
  expect(network.refusal(model, `${address}/v1/y`)).toBeUndefined()
  expect(heard.map(({ host, why, refused }) => [host, why, refused ?? false])).toEqual([
    ["127.0.0.1", "model", true],
    ["127.0.0.1", "model", false],
    ["127.0.0.1", "web", true],
    ["localhost", "model", true],
  ])
})

test("each address of a redirect is told, and a key does not follow it to another machine", async () => {
  const seen: (string | null)[] = []
  using last = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      seen.push(`${request.method} ${request.headers.get("authorization")}`)
      return new Response("here")
    },
  })
  using first = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) =>
      new URL(request.url).pathname === "/round"
        ? Response.redirect(request.url, 302)
        : Response.redirect(`http://127.0.0.1:${last.port}/there`, 303),
  })
  const { network, heard, ask } = open()
  const listening = network.observedBy((fact) => heard.push(fact))
  const init = { method: "POST", body: "x", headers: { authorization: "Bearer k" } }
  const response = await listening.fetch(model, `http://127.0.0.1:${first.port}/a`, init)
  expect(await response.text()).toBe("here")
  expect(seen).toEqual(["GET null"])
  expect(heard.map((fact) => fact.port)).toEqual([Number(first.port), Number(last.port)])
  expect(await ask(`http://127.0.0.1:${first.port}/round`)).toContain("redirects without end")
})
