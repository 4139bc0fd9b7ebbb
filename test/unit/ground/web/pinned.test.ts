import { expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { guardedAddresses } from "#ground/web/addresses.ts"
import { openPinned, type Pinned, type Sending } from "#ground/web/pinned.ts"
import type { Resolve } from "#ground/web/resolve.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok } from "#lib/result.ts"
import { certificate, key } from "./certificate.ts"
import { openRawSite, patient } from "./local-site.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

/** Names lead to each of these in turn, and to the last one from then on. */
const leading = (...turns: readonly (readonly string[])[]): Resolve & { readonly asked: string[] } => {
  const asked: string[] = []
  const resolve: Resolve = async (host) => {
    asked.push(host)
    return ok(turns[Math.min(asked.length, turns.length) - 1] ?? [])
  }
  return Object.assign(resolve, { asked })
}

const open = (resolve: Resolve, allows: readonly string[] = ["pages.test"]): Pinned =>
  openPinned({
    clock: systemClock,
    policy: guardedAddresses((host) => allows.includes(host)),
    resolve,
    network: directNetwork({ ca: certificate }),
    purpose: { why: "mcp", chosenBy: "others" },
  })

const serve = (answer: (request: Request) => Response | Promise<Response>): Disposable & { readonly port: number } => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    tls: { key, cert: certificate },
    fetch: answer,
  })
  return { port: server.port ?? 0, [Symbol.dispose]: () => void server.stop(true) }
}

const sending = (url: string, more: Partial<Sending> = {}): Sending => ({
  url,
  method: "GET",
  headers: {},
  signal: patient,
  ...more,
})

test("a name that leads elsewhere the second time is not followed there: every request goes where the first one was judged", async () => {
  using site = serve(async (request) => new Response(`${request.method} ${await request.text()}`))
  const resolve = leading(["127.0.0.1"], ["169.254.169.254"], ["10.0.0.1"])
  const pinned = open(resolve)
  const url = `https://pages.test:${site.port}/mcp`
  expect(await pinned.judge(url, patient)).toEqual(ok(undefined))
  for (const method of ["POST", "DELETE", "PUT"]) {
    const got = await pinned.send(sending(url, { method, body: "x" }))
    expect(got.ok && (await got.value.text())).toBe(`${method} x`)
  }
  expect(resolve.asked).toEqual(["pages.test"])
})

test("whoever is connected anew looks up anew, and is judged anew", async () => {
  using site = serve(() => new Response("here"))
  const resolve = leading(["127.0.0.1"], ["169.254.169.254"])
  const url = `https://pages.test:${site.port}/`
  expect((await open(resolve).send(sending(url))).ok).toBe(true)
  expect(await open(resolve).send(sending(url))).toMatchObject({
    ok: false,
    failure: { kind: "refused", message: expect.stringContaining("169.254.169.254") },
  })
})

test("one private address among public ones refuses all of them", async () => {
  const pinned = open(leading(["93.184.216.34", "10.1.2.3"]), [])
  expect(await pinned.judge("https://pages.test/", patient)).toMatchObject({ failure: { kind: "refused" } })
})

test("a host that cannot be reached any more is looked up anew, and what it leads to then is judged", async () => {
  using site = serve(() => new Response("here"))
  const url = `https://pages.test:${site.port}/`
  const moved = leading(["127.0.0.2"], ["127.0.0.1"])
  const pinned = open(moved)
  expect(await pinned.send(sending(url))).toMatchObject({ ok: false, failure: { kind: "unreachable" } })
  expect((await pinned.send(sending(url))).ok).toBe(true)
  const hostile = open(leading(["127.0.0.2"], ["169.254.169.254"]))
  await hostile.send(sending(url))
  expect(await hostile.send(sending(url))).toMatchObject({ failure: { kind: "refused" } })
})

test("a redirect is an answer, not a way", async () => {
  using site = serve((request) =>
    new URL(request.url).pathname === "/"
      ? Response.redirect("https://pages.test/elsewhere", 307)
      : new Response("should not be asked"),
  )
  const got = await open(leading(["127.0.0.1"])).send(sending(`https://pages.test:${site.port}/`))
  expect(got.ok && [got.value.status, got.value.headers.get("location")]).toEqual([307, "https://pages.test/elsewhere"])
})

test("what may not be reached is refused by name: plain http, other schemes, passwords, private places", async () => {
  const pinned = open(leading(["93.184.216.34"]), [])
  for (const url of [
    "http://pages.test/",
    " http://pages.test/",
    "file:///etc/passwd",
    "https://a:b@pages.test/",
    "https://127.0.0.1/",
    "https://[::ffff:10.0.0.1]/",
    "https://localhost/",
    "https://metadata.google.internal/",
    "nothing",
  ])
    expect([url, await pinned.send(sending(url))]).toMatchObject([url, { ok: false, failure: { kind: "refused" } }])
  const nowhere = open(async () => failed("no such name"))
  expect(await nowhere.judge("https://pages.test/", patient)).toMatchObject({ failure: { kind: "unreachable" } })
})

test("a body comes as it is sent, piece by piece, and ends when nobody wants it any more", async () => {
  const hung = Promise.withResolvers<void>()
  let more: ReadableStreamDefaultController<string> | undefined
  using site = serve(
    (request) =>
      new Response(
        new ReadableStream<string>({
          start: (controller) => void (more = controller),
          cancel: () => hung.resolve(),
        }).pipeThrough(new TextEncoderStream()),
        { headers: { "content-type": request.headers.get("accept") ?? "" } },
      ),
  )
  const stop = new AbortController()
  const got = await (async () => {
    const answer = open(leading(["127.0.0.1"])).send(
      sending(`https://pages.test:${site.port}/`, {
        headers: { accept: "text/event-stream" },
        signal: stop.signal,
      }),
    )
    while (!more) await Bun.sleep(5)
    more.enqueue("data: one\n\n")
    return answer
  })()
  if (!got.ok || !got.value.body) throw new Error("no body")
  expect(got.value.headers.get("content-type")).toBe("text/event-stream")
  const reader = got.value.body.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader.read()).value).toBe("data: one\n\n")
  more?.enqueue("data: two\n\n")
  expect((await reader.read()).value).toBe("data: two\n\n")
  stop.abort()
  expect(
    await reader.read().then(
      () => "read",
      () => "failed",
    ),
  ).toBe("failed")
  await hung.promise
})

test("what was packed without being asked for is unpacked; what cannot be is named", async () => {
  using site = serve((request) => {
    const encoding = new URL(request.url).pathname.slice(1)
    return new Response(gzipSync("hello"), { headers: { "content-encoding": encoding } })
  })
  const pinned = open(leading(["127.0.0.1"]))
  const url = (encoding: string): string => `https://pages.test:${site.port}/${encoding}`
  const good = await pinned.send(sending(url("gzip")))
  expect(good.ok && (await good.value.text())).toBe("hello")
  expect(await pinned.send(sending(url("zstd-9")))).toMatchObject({ ok: false, failure: { kind: "unreachable" } })
  const broken = await pinned.send(sending(url("br")))
  expect(
    broken.ok &&
      (await broken.value.text().then(
        () => "read",
        () => "failed",
      )),
  ).toBe("failed")
})

test("answers without a body, and such as are no HTTP, are values too", async () => {
  using site = serve(() => new Response(null, { status: 204 }))
  const got = await open(leading(["127.0.0.1"])).send(sending(`https://pages.test:${site.port}/`))
  expect(got.ok && [got.value.status, got.value.body]).toEqual([204, null])
  for (const said of ["hello\r\n\r\n", "HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n"]) {
    using raw = await openRawSite((socket) => socket.end(said))
    const pinned = open(leading(["127.0.0.1"]), ["127.0.0.1"])
    expect(await pinned.send(sending(`http://127.0.0.1:${raw.port}/`))).toMatchObject({ ok: false })
  }
})

test("an interruption is told as one", async () => {
  const stop = new AbortController()
  stop.abort()
  const pinned = open(async () => failed("interrupted"))
  expect(await pinned.send(sending("https://pages.test/", { signal: stop.signal }))).toMatchObject({
    failure: { kind: "aborted" },
  })
})
