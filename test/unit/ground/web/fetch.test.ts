import { expect, test } from "bun:test"
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib"
import { sayWebFailure } from "#ground/web/failure.ts"
import { openWeb } from "#ground/web/fetch.ts"
import { systemClock } from "#lib/clock.ts"
import { failed, ok } from "#lib/result.ts"
import { heldClock, html, openRawSite, openSite, patient } from "./local-site.ts"
import { directNetwork } from "../../../kit/direct-network.ts"

const text = (
  body: string | Uint8Array<ArrayBuffer>,
  type = "text/plain",
  more: Record<string, string> = {},
): Response => new Response(body, { headers: { "content-type": type, ...more } })

test("a page is fetched over https, from the one address its name leads to, and read as Markdown", async () => {
  using site = openSite({
    "/a": () => html("<h1>Hello</h1><p>World, <a href='/b'>go on</a>.</p>", "<title>A page</title>"),
  })
  expect(await site.web.fetchPage(site.url("/a"), patient)).toEqual(
    ok({
      url: site.url("/a"),
      status: 200,
      statusText: "OK",
      mediaType: "text/html",
      title: "A page",
      text: `## Hello\n\nWorld, [go on](${site.url("/b")}).`,
      isCut: false,
      bytes: 126,
    }),
  )
  expect(site.lookups).toEqual(["pages.test"])
})

test("what is sent: who we are, no cookies, the name as host", async () => {
  using site = openSite({
    "/a": () => new Response(null, { status: 302, headers: { location: "/b", "set-cookie": "a=b" } }),
    "/b": () => text("done"),
  })
  await site.web.fetchPage(site.url("/a"), patient)
  expect(site.headers).toHaveLength(2)
  for (const headers of site.headers) {
    expect(headers["user-agent"]).toStartWith("Codewright/")
    expect(headers.host).toBe(`pages.test:${site.port}`)
    expect(Object.keys(headers)).not.toContain("cookie")
    expect(Object.keys(headers)).not.toContain("referer")
  }
})

test("a name that leads elsewhere when it is asked again is not asked again", async () => {
  let asked = 0
  using site = openSite(
    { "/a": () => Response.redirect("/b"), "/b": () => text("the right place") },
    {
      resolve: async () => ok(asked++ === 0 ? ["127.0.0.1"] : ["127.0.0.2"]),
      allows: ["moving.test"],
    },
  )
  const page = await site.web.fetchPage(`https://moving.test:${site.port}/a`, patient)
  expect(page).toMatchObject({ ok: true, value: { text: "the right place" } })
  expect([asked, site.asked]).toEqual([1, ["/a", "/b"]])
})

test("the first of several addresses that accepts a connection is used", async () => {
  using site = openSite({ "/": () => text("here") }, { resolve: async () => ok(["::1", "127.0.0.1"]) })
  expect(await site.web.fetchPage(site.url("/"), patient)).toMatchObject({ ok: true, value: { text: "here" } })
})

test("a name that leads to a private address is not connected to, though the name is allowed", async () => {
  using site = openSite({ "/": () => text("secret") }, { allows: ["example.com"] })
  const got = await site.web.fetchPage(`https://example.com:${site.port}/`, patient)
  expect(got).toEqual(
    failed({
      kind: "refused",
      refusal: { kind: "special", host: "example.com", address: "127.0.0.1", range: "loopback" },
    }),
  )
  expect(site.asked).toEqual([])
})

test("redirects on one host are followed, ten at most, and not in circles", async () => {
  using site = openSite({
    "/old": () => Response.redirect("/new"),
    "/new": () => text("found"),
    "/circle": () => new Response(null, { status: 307, headers: { location: "/circle2" } }),
    "/circle2": () => new Response(null, { status: 308, headers: { location: "circle" } }),
    "/long": ({ url }) => {
      const n = Number(new URL(url).searchParams.get("n") ?? 0)
      return new Response(null, { status: 301, headers: { location: `/long?n=${n + 1}` } })
    },
    "/nowhere": () => new Response("no target", { status: 302, headers: { "content-type": "text/plain" } }),
  })
  expect(await site.web.fetchPage(site.url("/old"), patient)).toMatchObject({
    ok: true,
    value: { text: "found", url: site.url("/new") },
  })
  expect(await site.web.fetchPage(site.url("/circle"), patient)).toEqual(
    failed({ kind: "redirects", url: site.url("/circle"), count: 2 }),
  )
  site.asked.length = 0
  expect(await site.web.fetchPage(site.url("/long"), patient)).toEqual(
    failed({ kind: "redirects", url: site.url("/long"), count: 11 }),
  )
  expect(site.asked).toHaveLength(11)
  expect(await site.web.fetchPage(site.url("/nowhere"), patient)).toMatchObject({
    failure: { kind: "status", status: 302 },
  })
})

test("a redirect to another host is told, not followed", async () => {
  using site = openSite({
    "/away": () => Response.redirect("http://www.example.com/there?x=1#part"),
    "/port": ({ url }) => Response.redirect(url.replace("pages.test", "moving.test").replace("/port", "/")),
  })
  const away = await site.web.fetchPage(site.url("/away"), patient)
  const target = "https://www.example.com/there?x=1"
  expect(away).toEqual(failed({ kind: "moved", url: site.url("/away"), target, status: 302 }))
  expect(!away.ok && sayWebFailure(away.failure)).toContain(`${target}\nTo read it, call WebFetch again`)
  expect(await site.web.fetchPage(site.url("/port"), patient)).toMatchObject({ failure: { kind: "moved" } })
  expect([site.asked, site.lookups]).toEqual([
    ["/away", "/port"],
    ["pages.test", "pages.test"],
  ])
})

test.each([
  ["http://169.254.169.254/latest/", "metadata"],
  ["http://[::1]/", "loopback"],
  ["//10.0.0.1/", "private"],
  ["file:///etc/passwd", "scheme"],
  ["https://user:secret@pages.test/", "userinfo"],
  ["https://[bad/", "malformed"],
])("a redirect to %s is refused", async (location, why) => {
  using site = openSite({ "/": () => new Response(null, { status: 302, headers: { location } }) })
  const got = await site.web.fetchPage(site.url("/"), patient)
  expect(got).toMatchObject({ failure: { kind: "refused", redirectedFrom: site.url("/") } })
  const refusal = !got.ok && got.failure.kind === "refused" ? got.failure.refusal : undefined
  const kind: string | undefined = refusal?.kind === "special" ? refusal.range : refusal?.kind
  expect(kind).toBe(why)
})

test("http is upgraded, except to this machine when a rule names it", async () => {
  using plain = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => text("in plain http") })
  const web = openWeb({ network: directNetwork(), clock: systemClock, allowsPrivate: (host) => host === "localhost" })
  const url = `http://localhost:${plain.port}/`
  expect(await web.fetchPage(url, patient)).toMatchObject({ ok: true, value: { text: "in plain http", url } })
  expect(await web.fetchPage(`http://127.0.0.1:${plain.port}/`, patient)).toMatchObject({
    failure: { kind: "refused" },
  })
  using site = openSite({ "/": () => text("in https") })
  expect(await site.web.fetchPage(`http://pages.test:${site.port}/`, patient)).toMatchObject({
    ok: true,
    value: { text: "in https", url: site.url("/") },
  })
})

test("certificates are checked, against the name and not the address", async () => {
  using site = openSite({ "/": () => text("x") }, { allows: ["wrong.test", "pages.test"] })
  expect(await site.web.fetchPage(`https://wrong.test:${site.port}/`, patient)).toEqual(
    failed({ kind: "unreachable", host: "wrong.test", why: "its certificate is for a different host name" }),
  )
  const usual = openWeb({
    network: directNetwork(),
    clock: systemClock,
    allowsPrivate: (host) => host === "pages.test",
    resolve: async () => ok(["127.0.0.1"]),
  })
  expect(await usual.fetchPage(site.url("/"), patient)).toEqual(
    failed({
      kind: "unreachable",
      host: "pages.test",
      why: "its certificate is self-signed; to trust it, set NODE_EXTRA_CA_CERTS to its file",
    }),
  )
  expect(site.asked).toEqual([])
})

test("a body beyond the limit is not read to its end, whether its size is announced or not", async () => {
  let sent = 0
  using site = openSite({
    "/announced": () => text(new Uint8Array(20_000_000)),
    "/endless": () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            sent += 65_536
            if (sent > 100_000_000) return controller.close()
            controller.enqueue(new Uint8Array(65_536).fill(97))
          },
        }),
        { headers: { "content-type": "text/plain" } },
      ),
  })
  for (const path of ["/announced", "/endless"])
    expect(await site.web.fetchPage(site.url(path), patient)).toEqual(
      failed({ kind: "too_large", url: site.url(path), limit: 10_000_000 }),
    )
  expect(sent).toBeLessThan(60_000_000)
})

const packings = { gzip: gzipSync, "x-gzip": gzipSync, deflate: deflateSync, br: brotliCompressSync } as const

test.each(Object.entries(packings))("%s is unpacked, and a bomb is stopped at the limit", async (encoding, pack) => {
  const packed = (size: number): Response =>
    text(new Uint8Array(pack(Buffer.alloc(size, "a"))), "text/plain", { "content-encoding": encoding })
  using site = openSite(
    {
      "/small": () => packed(5000),
      "/bomb": () => packed(3_000_000),
      "/damaged": () => text("not packed at all", "text/plain", { "content-encoding": encoding }),
    },
    { limits: { bytes: 1_000_000 } },
  )
  expect(await site.web.fetchPage(site.url("/small"), patient)).toMatchObject({ value: { text: "a".repeat(5000) } })
  expect(await site.web.fetchPage(site.url("/bomb"), patient)).toMatchObject({ failure: { kind: "too_large" } })
  expect(await site.web.fetchPage(site.url("/damaged"), patient)).toMatchObject({
    failure: { kind: "broken", why: `its ${encoding} packing is damaged` },
  })
})

test("deflate without its header is unpacked; an unknown packing is not", async () => {
  using site = openSite({
    "/raw": () => text(new Uint8Array(deflateRawSync("bare")), "text/plain", { "content-encoding": "deflate" }),
    "/odd": () => text("x", "text/plain", { "content-encoding": "gzip, br" }),
  })
  expect(await site.web.fetchPage(site.url("/raw"), patient)).toMatchObject({ value: { text: "bare" } })
  expect(await site.web.fetchPage(site.url("/odd"), patient)).toMatchObject({
    failure: { kind: "broken", why: 'it is packed as "gzip, br"' },
  })
})

test.each([
  ["application/json", '{"a": 1}'],
  ["application/vnd.api+json; charset=utf-8", "[]"],
  ["application/xml", "<a><b/></a>"],
  ["text/markdown", "# Title\n\n<b>as it is</b>"],
  ["text/csv", "a,b"],
  ["image/svg+xml", "<svg/>"],
  ["application/x-yaml", "a: 1"],
])("%s is taken as it is", async (type, body) => {
  using site = openSite({ "/": () => text(body, type) })
  expect(await site.web.fetchPage(site.url("/"), patient)).toMatchObject({
    value: { text: body, mediaType: type.split(";")[0] },
  })
})

test("what is not text is left where it is, with its type and size", async () => {
  using site = openSite({
    "/image": () => text(new Uint8Array(1234), "image/png"),
  })
  const image = await site.web.fetchPage(site.url("/image"), patient)
  expect(image).toEqual(failed({ kind: "not_text", url: site.url("/image"), mediaType: "image/png", bytes: 1234 }))
  expect(!image.ok && sayWebFailure(image.failure)).toContain("is not text but image/png (1 kB)")
})

test.each([
  ["\u0001\u0000\u0002", { failure: { kind: "not_text", mediaType: "of an unknown type" } }],
  ["\u00ff\u00fe\u00fd", { failure: { kind: "not_text" } }],
  [" <!DOCTYPE html><p>still a page</p>", { value: { text: "still a page" } }],
  ["just text", { value: { text: "just text", mediaType: "" } }],
])("a body of which nobody says what it is: %j", async (body, expected) => {
  using raw = await openRawSite((socket) =>
    socket.end(Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`, "latin1")),
  )
  const web = openWeb({ network: directNetwork(), clock: systemClock, allowsPrivate: () => true })
  expect(await web.fetchPage(`http://127.0.0.1:${raw.port}/`, patient)).toMatchObject(expected)
})

test.each([
  ["the header", "text/plain; charset=iso-8859-1", Buffer.from("caf\u00e9", "latin1")],
  ["the header, in quotes", 'text/plain; charset="Shift_JIS"', Buffer.from([0x83, 0x65, 0x83, 0x58, 0x83, 0x67])],
  [
    "the document",
    "text/html",
    Buffer.from('<html><head><meta charset="windows-1251"></head><body>\u00e4\u00e0</body>', "latin1"),
  ],
  ["the mark", "text/plain; charset=iso-8859-1", Buffer.from("\ufeffcafé", "utf16le")],
  ["an XML declaration", "text/xml", Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>\u00e9</a>', "latin1")],
  ["nobody: Western", "text/plain", Buffer.from("caf\u00e9", "latin1")],
  ["nobody: UTF-8", "text/plain", Buffer.from("café ✓")],
  ["a name nobody knows", "text/plain; charset=klingon", Buffer.from("café")],
])("the letters are read as told by %s", async (_who, type, bytes) => {
  using site = openSite({ "/": () => text(new Uint8Array(bytes), type) })
  const page = await site.web.fetchPage(site.url("/"), patient)
  expect(page.ok && page.value.text).toMatch(
    /^(?:café|café ✓|テスト|да|<\?xml version="1.0" encoding="ISO-8859-1"\?><a>é<\/a>)$/,
  )
})

test("an error of the server is told with its status and what it says", async () => {
  using site = openSite({
    "/gone": () =>
      new Response("<h1>Gone</h1><p>Try /new.</p>", { status: 410, headers: { "content-type": "text/html" } }),
    "/broken": () => new Response(null, { status: 503 }),
  })
  const gone = await site.web.fetchPage(site.url("/gone"), patient)
  expect(gone).toMatchObject({ failure: { kind: "status", status: 410, text: "## Gone\n\nTry /new." } })
  expect(!gone.ok && sayWebFailure(gone.failure)).toBe(
    `${site.url("/gone")} answered with status 410 Gone. There is no such page; check the address.\nWhat it says:\n## Gone\n\nTry /new.`,
  )
  expect(await site.web.fetchPage(site.url("/broken"), patient)).toMatchObject({ failure: { status: 503, text: "" } })
})

test("a long page is cut, and escapes and control characters are not passed on", async () => {
  using site = openSite(
    {
      "/long": () => text("0123456789".repeat(3)),
      "/odd": () => text("\u001b[31mr\u001b[0m\u0000b"),
    },
    { limits: { characters: 12 } },
  )
  expect(await site.web.fetchPage(site.url("/long"), patient)).toMatchObject({
    value: { text: "012345678901", isCut: true },
  })
  expect(await site.web.fetchPage(site.url("/odd"), patient)).toMatchObject({ value: { text: "r\u2400b" } })
})

test("a page is remembered for a quarter of an hour, under both of its addresses", async () => {
  const clock = heldClock()
  using site = openSite({ "/old": () => Response.redirect("/new"), "/new": () => text("page") }, { clock })
  const fetch = async (path: string): Promise<number> => {
    expect(await site.web.fetchPage(site.url(path), patient)).toMatchObject({ value: { text: "page" } })
    return site.asked.length
  }
  expect(await fetch("/old")).toBe(2)
  expect(await fetch("/old")).toBe(2)
  expect(await fetch("/new#part")).toBe(2)
  clock.advance(14 * 60_000)
  expect(await fetch("/new")).toBe(2)
  clock.advance(60_000)
  expect(await fetch("/new")).toBe(3)
  expect(clock.waiting()).toBe(0)
})

test("an answer that does not end is given up when the time is over, and the connection is closed", async () => {
  const clock = heldClock()
  using slow = await openRawSite((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
    setTimeout(() => clock.advance(60_000), 20)
  })
  const web = openWeb({ network: directNetwork(), clock, allowsPrivate: () => true })
  expect(await web.fetchPage(`http://127.0.0.1:${slow.port}/`, patient)).toEqual(
    failed({ kind: "timed_out", host: "127.0.0.1", seconds: 60 }),
  )
  await slow.closed
})

test("a server that says nothing is given up in the same way", async () => {
  const clock = heldClock()
  using silent = await openRawSite(() => clock.advance(60_000))
  const web = openWeb({ network: directNetwork(), clock, allowsPrivate: () => true })
  expect(await web.fetchPage(`http://127.0.0.1:${silent.port}/`, patient)).toMatchObject({
    failure: { kind: "timed_out" },
  })
  await silent.closed
})

test("an interruption ends it at any point, and closes the connection", async () => {
  const before = new AbortController()
  before.abort()
  using site = openSite({ "/": () => text("x") })
  expect(await site.web.fetchPage(site.url("/"), before.signal)).toEqual(failed({ kind: "aborted" }))

  for (const head of ["", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"]) {
    const during = new AbortController()
    using raw = await openRawSite((socket) => {
      socket.write(head)
      setTimeout(() => during.abort(), 10)
    })
    const web = openWeb({ network: directNetwork(), clock: systemClock, allowsPrivate: () => true })
    expect(await web.fetchPage(`http://127.0.0.1:${raw.port}/`, during.signal)).toEqual(failed({ kind: "aborted" }))
    await raw.closed
  }

  const lookup = new AbortController()
  const web = openWeb({
    network: directNetwork(),
    clock: systemClock,
    allowsPrivate: () => false,
    resolve: async () => (lookup.abort(), failed("interrupted")),
  })
  expect(await web.fetchPage("https://example.com/", lookup.signal)).toEqual(failed({ kind: "aborted" }))
})

test.each([
  ["", "broken", "the connection was closed"],
  ["SSH-2.0-OpenSSH_9\r\n", "broken", "invalid HTTP response"],
  ["HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc", "broken", "closed|ended before"],
  ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", "broken", "closed|ended before"],
  [`HTTP/1.1 200 OK\r\n${"X: y\r\n".repeat(100_000)}`, "broken", "too long|proper HTTP"],
])("an answer that is none (%#)", async (bytes, kind, why) => {
  using raw = await openRawSite((socket) => socket.end(bytes))
  const web = openWeb({ network: directNetwork(), clock: systemClock, allowsPrivate: () => true })
  expect(await web.fetchPage(`http://127.0.0.1:${raw.port}/`, patient)).toMatchObject({
    failure: { kind, host: "127.0.0.1", why: expect.stringMatching(new RegExp(why)) },
  })
})

test("where nothing listens, and what no one knows", async () => {
  const closed = await openRawSite(() => {})
  closed[Symbol.dispose]()
  const web = openWeb({
    network: directNetwork(),
    clock: systemClock,
    allowsPrivate: () => true,
    resolve: async () => failed("no such name"),
  })
  expect(await web.fetchPage(`http://127.0.0.1:${closed.port}/`, patient)).toEqual(
    failed({ kind: "unreachable", host: "127.0.0.1", why: "connection refused" }),
  )
  const unknown = await web.fetchPage("https://nowhere.example/", patient)
  expect(unknown).toEqual(failed({ kind: "unresolved", host: "nowhere.example", why: "no such name" }))
  expect(!unknown.ok && sayWebFailure(unknown.failure)).toBe(
    "The host nowhere.example was not found (no such name). Check the address.",
  )
})

test("a direct connection ignores the proxies that the runtime finds in the environment", async () => {
  using site = openSite({ "/": () => text("straight") })
  const child = Bun.spawn({
    cmd: [process.execPath, "-e", script(site.url("/"))],
    env: { ...process.env, HTTPS_PROXY: "http://127.0.0.1:9", https_proxy: "http://127.0.0.1:9" },
    cwd: import.meta.dir,
    stdout: "pipe",
    stderr: "inherit",
  })
  expect(await new Response(child.stdout).text()).toBe("straight")
})

const script = (url: string): string => `
  import { openWeb } from "#ground/web/fetch.ts"
  import { systemClock } from "#lib/clock.ts"
  import { certificate } from "./certificate.ts"
  import { directNetwork } from "../../../kit/direct-network.ts"
  const resolve = async () => ({ ok: true, value: ["127.0.0.1"] })
  const web = openWeb({ network: directNetwork({ ca: certificate }), clock: systemClock, allowsPrivate: (host) => host === "pages.test", resolve })
  const page = await web.fetchPage(${JSON.stringify(url)}, new AbortController().signal)
  process.stdout.write(page.ok ? page.value.text : JSON.stringify(page.failure))
`
