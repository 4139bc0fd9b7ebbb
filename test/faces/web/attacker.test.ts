/** A scripted attacker against a server with its page: floods, half-sent requests, odd methods and hostile text achieve nothing. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import type { Database } from "#lib/database.ts"
import { openPageFiles } from "#faces/web/page-files.ts"
import { embeddedIn, opened } from "../../kit/database/databases.ts"
import { approval, held } from "../../kit/fleet/records.ts"
import { openTestServer, refused, secretOf, type TestServer, waiting } from "../../kit/fleet/web-server.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const folder = lastingFolder()
let database: Database
let server: TestServer
const reports: string[] = []

beforeAll(async () => {
  database = await opened(await embeddedIn({ join: (name = "") => join(folder, name) }))
  server = await openTestServer(database, { page: openPageFiles(), report: (text) => reports.push(text) })
}, 120_000)

afterAll(async () => {
  await server.close()
  await database.close()
  expect(reports).toEqual([])
})

/** A connection that has sent this, and what came back first. */
const opening = (text: string): Promise<readonly [Socket, string]> =>
  new Promise((resolve, reject) => {
    const socket = connect(server.port, "127.0.0.1", () => socket.write(text))
    socket.once("data", (piece) => resolve([socket, piece.toString()]))
    socket.once("error", reject)
  })

const followed = (id: string, role: "operator" | "admin"): string =>
  `GET /api/sessions/${id}/events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${secretOf(role)}\r\n\r\n`

test("thousands of streams: a user has 1,000 at most, others are served, and closed ones count no more", async () => {
  await waiting(server.store, "flooded")
  const all: (readonly [Socket, string])[] = []
  for (let at = 0; at < 2500; at += 100)
    all.push(...(await Promise.all(Array.from({ length: 100 }, () => opening(followed("flooded", "operator"))))))
  const statuses = Map.groupBy(all, ([, said]) => said.slice(9, 12))
  expect([...statuses].map(([status, { length }]) => [status, length])).toEqual([
    ["200", 1000],
    ["429", 1500],
  ])
  expect((await server.ask("GET", "/api/me", { as: "operator" })).status).toBe(200)
  const [other, said] = await opening(followed("flooded", "admin"))
  expect(said).toContain("200 OK")
  other.destroy()
  for (const [socket] of all) socket.destroy()
  for (;;) {
    const [socket, again] = await opening(followed("flooded", "operator"))
    socket.destroy()
    if (again.includes("200 OK")) break
  }
})

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
    const said = await server.raw(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nConnection: close\r\n\r\n`)
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
