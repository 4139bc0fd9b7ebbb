/** A scripted attacker against a server with its page, with both engines: floods, half-sent requests, odd methods and hostile text achieve nothing. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { connect } from "node:net"
import type { Database } from "#lib/database.ts"
import { openClientAddress } from "#faces/web/client-address.ts"
import { openPageFiles } from "#faces/web/page-files.ts"
import type { WebServerParts } from "#faces/web/server.ts"
import { onEngines } from "../../kit/database/engines.ts"
import { approval, held } from "../../kit/fleet/records.ts"
import { openTestServer, refused, secretOf, type TestServer, waiting } from "../../kit/fleet/web-server.ts"
import { flood } from "../../kit/web/flood.ts"
import { valueOf } from "../../kit/team/conformance.ts"

onEngines(withstands)

/** Streams that attackers open: of 10,000 the limits are those that servers have by themselves. */
const streams = Number(process.env["CODEWRIGHT_STREAMS"] ?? 500)
const limits = { streams: streams / 5, streamsOfOne: streams / 10 }

function withstands(reach: () => Promise<Database>): void {
  let database: Database
  let server: TestServer
  const reports: string[] = []

  beforeAll(async () => {
    database = await reach()
    server = await openTestServer(database, { page: openPageFiles(), limits, report: (text) => reports.push(text) })
  }, 300_000)

  afterAll(async () => {
    await server.close()
    await database.close()
    expect(reports).toEqual([])
  })

  const following = (id: string, token?: string): string =>
    `GET /api/sessions/${id}/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${token === undefined ? "" : `Authorization: Bearer ${token}\r\n`}\r\n`

  test(`${streams} streams: each user has so many at most, nobody keeps others out, and closed ones count no more`, async () => {
    await waiting(server.store, "flooded")
    const before = process.memoryUsage().rss
    const meanwhile = askAgainAndAgain()
    await using one = await flood(server.port, streams * 0.6, following("flooded", secretOf("operator")))
    expect(one.statuses).toEqual({ 200: limits.streamsOfOne, 429: streams * 0.6 - limits.streamsOfOne })
    await using nobody = await flood(server.port, streams * 0.2, following("flooded"))
    expect((nobody.statuses[401] ?? 0) + (nobody.statuses[429] ?? 0)).toBe(streams * 0.2)
    await using other = await flood(server.port, streams * 0.2, following("flooded", secretOf("admin")))
    expect(other.statuses).toEqual({ 200: limits.streamsOfOne, 429: streams * 0.2 - limits.streamsOfOne })
    const { answers, slowest } = await meanwhile()
    expect(answers).toEqual(new Set([200]))
    const grown = (process.memoryUsage().rss - before) / 2 ** 20
    expect(grown).toBeLessThan(200)
    if (streams >= 10_000)
      process.stderr.write(
        `${streams} streams: ${grown.toFixed(0)} MB more, others waited ${slowest.toFixed(0)} ms at most\n`,
      )
    // Every seat is taken by two; a third is served all the same, and hears of what happens.
    valueOf(
      await server.store.tokens.add({ name: "a third", role: "admin" }, "the-secret-of-a-third", undefined, "root"),
    )
    const third = { secret: "the-secret-of-a-third" }
    expect((await server.ask("GET", "/api/me", third)).status).toBe(200)
    const heard = server.eventsOf("flooded", "", 6, third)
    await server.store.sessions.cancel("flooded", "a third")
    expect((await heard).map(({ event }) => event)).toEqual(["stage", "entry", "entry", "approval", "stage", "stage"])
    await one[Symbol.asyncDispose]()
    for (let isFull = true; isFull;) {
      await using again = await flood(server.port, 1, following("flooded", secretOf("operator")))
      isFull = again.statuses[200] !== 1
    }
  })

  /** Somebody who uses the server at the same time; returns how to end that. */
  function askAgainAndAgain() {
    const [answers, over] = [new Set<number>(), new AbortController()]
    let slowest = 0
    const asking = (async () => {
      while (!over.signal.aborted) {
        const begun = performance.now()
        answers.add((await server.ask("GET", "/api/sessions", { as: "viewer" })).status)
        slowest = Math.max(slowest, performance.now() - begun)
      }
    })()
    return async () => {
      over.abort()
      await asking
      return { answers, slowest }
    }
  }

  test("a new wrong token with each request is slowed down, and nobody with a valid one beside it", async () => {
    const meanwhile = askAgainAndAgain()
    const guesses = Array.from({ length: 600 }, (_, at) =>
      server.ask("GET", "/api/me", { secret: `a-guess-that-is-wrong-${at}` }).then(({ status }) => status),
    )
    // Somebody whose token the server has not seen before, from the same address.
    valueOf(
      await server.store.tokens.add({ name: "new", role: "viewer" }, "the-secret-of-a-new-one", undefined, "root"),
    )
    expect((await server.ask("GET", "/api/me", { secret: "the-secret-of-a-new-one" })).status).toBe(200)
    expect(new Set(await Promise.all(guesses)).has(429)).toBe(true)
    expect((await server.ask("GET", "/api/me", { secret: "the-secret-of-a-new-one" })).status).toBe(200)
    expect((await meanwhile()).answers).toEqual(new Set([200]))
  })

  test("a stranger who knocks keeps nobody from signing in, neither with a token nor with a link", async () => {
    const headers = { origin: server.url, "content-type": "application/json" }
    const knock = async (at: number): Promise<number> => {
      const body = { token: `a-guess-that-is-wrong-${at}` }
      const way = at % 3 === 0 ? server.ask("GET", `/sign-in?code=${at}`) : undefined
      return (await (way ?? server.ask("POST", "/api/sign-in", { body, headers }))).status
    }
    const link = server.signInLink()
    let isOver = false
    const said = new Set<number>()
    const knocking = Array.from({ length: 10 }, async (_, nth) => {
      for (let at = nth; !isOver || !said.has(429); at += 10) said.add(await knock(at))
    })
    while (!said.has(429)) await Bun.sleep(5)
    const statuses: number[] = []
    for (let at = 0; at < 20; at++) {
      const body = { token: secretOf(at % 2 === 0 ? "viewer" : "admin") }
      statuses.push((await server.ask("POST", "/api/sign-in", { body, headers })).status)
    }
    const linked = await server.ask("GET", link.slice(server.url.length))
    isOver = true
    await Promise.all(knocking)
    expect(new Set(statuses)).toEqual(new Set([204]))
    expect([linked.status, linked.headers.get("set-cookie") !== null]).toEqual([303, true])
    expect([...said].filter((status) => ![401, 403, 429].includes(status))).toEqual([])
  }, 300_000)

  test("behind a trusted proxy strangers are counted one by one; what others say of themselves counts for nothing", async () => {
    const clientAddress = valueOf(openClientAddress(["127.0.0.1", "10.0.0.0/8"]))
    await using behind = await openProxied({ clientAddress })
    const statusFor = async (forwarded: string): Promise<number> =>
      (await behind.ask("GET", "/api/me", { headers: { "x-forwarded-for": forwarded } })).status
    // Whatever a client writes stands left of what the proxies add.
    for (let at = 0; at < 6; at++) await statusFor(`8.8.8.${at}, 203.0.113.7, 10.1.2.3`)
    expect(await statusFor("203.0.113.7")).toBe(429)
    expect(await statusFor("203.0.113.8, 10.9.9.9")).toBe(401)
    await using direct = await openProxied({})
    for (let at = 0; at < 6; at++)
      await direct.ask("GET", "/api/me", { headers: { "x-forwarded-for": `203.0.113.${at}` } })
    expect((await direct.ask("GET", "/api/me", { headers: { "x-forwarded-for": "203.0.113.99" } })).status).toBe(429)
  })

  async function openProxied(parts: Partial<WebServerParts>): Promise<TestServer & AsyncDisposable> {
    const own = await openTestServer(database, { ...parts, limits: { strangers: { burst: 5, perSecond: 0.001 } } })
    return { ...own, [Symbol.asyncDispose]: own.close }
  }

  test("requests that are never finished hold up nobody", async () => {
    const head = `POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n`
    const halves = ["G", "GET /api/health HTTP/1.1\r\nHo", head, `${head}Content-Length: 999999\r\n\r\n{`]
    const sockets = Array.from({ length: 400 }, (_, at) => {
      const socket = connect(server.port, "127.0.0.1", () => socket.write(halves[at % halves.length] ?? ""))
      socket.on("error", () => undefined)
      return socket
    })
    for (let at = 0; at < 20; at++) expect((await server.ask("GET", "/api/health")).status).toBe(200)
    for (const socket of sockets) socket.destroy()
  })

  test("odd methods, preflights, paths and headers get nothing", async () => {
    const preflight = await server.ask("OPTIONS", "/api/sessions", {
      headers: { origin: "http://evil.example", "access-control-request-method": "POST" },
    })
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([403, null])
    for (const method of ["PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
      expect(
        await server.raw(
          `${method} /api/sessions HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${secretOf("admin")}\r\nConnection: close\r\n\r\n`,
        ),
      ).not.toContain("200 OK")
    for (const path of [
      "/../../etc/passwd",
      "/%2e%2e/%2e%2e/etc/passwd",
      "//etc/passwd",
      "/index.html%00",
      "/.git/config",
      "/api/../src/main.ts",
    ]) {
      const said = await server.raw(
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`,
      )
      expect(said).not.toContain("200 OK")
      expect(said).not.toContain("root:")
    }
    const smuggled = `GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`
    expect(await server.raw(smuggled)).not.toContain("200 OK")
    const override = {
      as: "viewer",
      headers: { "x-http-method-override": "DELETE", "x-forwarded-user": "root" },
    } as const
    await waiting(server.store, "kept")
    await server.ask("GET", "/api/sessions/kept", override)
    expect((await server.store.sessions.get("kept"))?.stage).toBe("awaiting_tool_approval")
    expect((await server.ask("GET", "/api/me", override)).body).toEqual({ name: "the viewer", role: "viewer" })
  })

  test("a key of somebody else gives nothing of theirs", async () => {
    const headers = { "idempotency-key": "shared" }
    const body = { prompt: "A secret of the operator's", workspace: { path: "/w" }, labels: ["nobody"] }
    const mine = await server.ask("POST", "/api/sessions", { as: "operator", body, headers })
    const theirs = await server.ask("POST", "/api/sessions", { as: "admin", body, headers })
    expect((mine.body as { id: string }).id).not.toBe((theirs.body as { id: string }).id)
  })

  test("hostile text in every field leaves as JSON, and the page runs nothing that is not its own", async () => {
    const hostile =
      "</script><script>alert(1)</script>\u001b]0;x\u0007\u202e\u0000'; drop table fleet_sessions; --\r\n\r\nevent: stage"
    const lease = await held(server.store, "hostile", "the operator")
    valueOf(await server.store.lines.ship(lease, 1, [hostile]))
    const asked = approval("q", hostile, { explanation: hostile, risks: [hostile], title: hostile, digest: "d" })
    const result = { ok: false, text: hostile }
    const plan = {
      markdown: hostile,
      digest: hostile,
      filesToCreate: [hostile],
      filesToModify: [],
      commands: [hostile],
      tests: [],
    }
    valueOf(
      await server.store.leases.park(
        lease,
        { stage: "awaiting_tool_approval", title: hostile, clarifiedQuery: hostile, plan, result },
        [asked],
      ),
    )
    for (const path of [
      "/api/sessions",
      "/api/sessions/hostile",
      "/api/approvals",
      "/api/openapi.json",
      `/api/${encodeURIComponent(hostile)}`,
    ]) {
      const { headers, status } = await server.ask("GET", path, { as: "operator" })
      expect([200, 404]).toContain(status)
      expect(headers.get("content-type")).toStartWith("application/json")
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    }
    const events = await server.eventsOf("hostile", "", 4)
    expect(events.map(({ event }) => event)).toEqual(["stage", "entry", "approval", "stage"])
    const refusal = await server.ask("POST", "/api/tokens", { as: "admin", body: { name: hostile, role: "viewer" } })
    expect([refusal.status, refusal.body]).toEqual([422, refused("invalid")])
    const page = await server.ask("GET", "/")
    const policy = page.headers.get("content-security-policy") ?? ""
    expect(page.status).toBe(200)
    expect(policy).toContain("script-src 'self'")
    expect(policy).not.toContain("unsafe")
  })
}
