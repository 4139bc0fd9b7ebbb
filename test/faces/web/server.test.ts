/** The server of a fleet over real sockets: what clients get, and what attackers do not. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { connect } from "node:net"
import { join } from "node:path"
import { systemClock } from "#lib/clock.ts"
import type { Database } from "#lib/database.ts"
import { openWebServer, type WebServer } from "#faces/web/server.ts"
import { openFleetStore } from "#fleet/open-store.ts"
import type { UserRole } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { embeddedIn, opened } from "../../kit/database/databases.ts"
import { approval, held, heldAgain } from "../../kit/fleet/records.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const folder = lastingFolder()
let database: Database
let store: FleetStore
let server: WebServer
let port = 0

const secretOf = (role: UserRole): string => `the-secret-of-${role}`

beforeAll(async () => {
  database = await opened(await embeddedIn({ join: (name = "") => join(folder, name) }))
  store = valueOf(await openFleetStore(database))
  for (const role of ["viewer", "operator", "admin"] as const)
    valueOf(await store.tokens.add({ name: `the ${role}`, role }, secretOf(role), undefined, "root"))
  server = openWebServer({ store, host: "127.0.0.1", port: 0, clock: systemClock })
  port = Number(new URL(server.url).port)
}, 120_000)

afterAll(async () => {
  await server.close()
  await store.close()
  await database.close()
})

async function ask(method: string, path: string, how: { as?: UserRole; body?: unknown; headers?: object } = {}) {
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { ...(how.as && { authorization: `Bearer ${secretOf(how.as)}` }), ...how.headers },
    ...(how.body !== undefined && { body: JSON.stringify(how.body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    body: (text === "" ? null : JSON.parse(text)) as unknown,
    headers: response.headers,
  }
}

const refused = (code: string) => ({ error: { code, message: expect.any(String) as string } })

async function waiting(id: string): Promise<void> {
  const lease = await held(store, id)
  valueOf(await store.lines.ship(lease, 1, ['{"n":1}', "two\ndata: forged\r\n\r\nevent: stage"]))
  valueOf(await store.leases.park(lease, { stage: "awaiting_tool_approval" }, [approval("q", "rm a")]))
}

describe("a client", () => {
  test("finds what waits, decides, and is told which decision counts", async () => {
    await waiting("one")
    const inbox = await ask("GET", "/api/approvals?state=open", { as: "viewer" })
    const shown = { id: "q", sessionId: "one", kind: "tool", state: "open", digest: "digest of rm a", effective: true }
    expect(inbox.body).toMatchObject({ approvals: [shown] })
    const path = "/api/sessions/one/approvals/q"
    const stale = await ask("POST", path, { as: "operator", body: { decision: "allow", digest: "other" } })
    expect([stale.status, stale.body]).toEqual([409, refused("void")])
    const body = { decision: "allow", digest: "digest of rm a", remember: "session" }
    const both = await Promise.all([
      ask("POST", path, { as: "operator", body }),
      ask("POST", path, { as: "admin", body: { ...body, decision: "deny" } }),
    ])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const effective = both.map((each) => (each.body as { effective: boolean }).effective)
    expect(effective.toSorted()).toEqual([false, true])
    const session = await ask("GET", "/api/sessions/one", { as: "viewer" })
    expect(session.body).toMatchObject({ id: "one", worker: null, pending: [], completed: [{ approvalId: "q" }] })
    const audit = await ask("GET", "/api/audit", { as: "admin" })
    expect(JSON.stringify(audit.body)).toContain('"approvalId":"q"')
    expect((await ask("DELETE", "/api/sessions/one", { as: "operator" })).status).toBe(204)
    const list = await ask("GET", "/api/sessions?stage=cancelled", { as: "viewer" })
    expect(list.body).toMatchObject({ sessions: [{ id: "one", stage: "cancelled" }] })
    expect((await ask("GET", "/api/workers", { as: "viewer" })).body).toMatchObject({ workers: [{ busy: 0 }] })
  })

  test("that sends the same again with its key gets the same answer", async () => {
    await waiting("two")
    const headers = { "idempotency-key": "k1" }
    const body = { decision: "deny", digest: "digest of rm a", message: "Not now" }
    const send = (given: object) =>
      ask("POST", "/api/sessions/two/approvals/q", { as: "operator", body: given, headers })
    const [first, again] = [await send(body), await send(body)]
    expect(first.body).toMatchObject({ effective: true, state: "denied", decidedBy: "the operator" })
    expect([again.status, again.body]).toEqual([first.status, first.body])
    expect((await send({ ...body, message: "Other" })).body).toEqual(refused("conflict"))
    const [kept] = await store.approvals.of("two")
    expect(kept?.answer).toEqual({ decision: "deny", message: "Not now" })
  })

  test("follows a session, and continues where it was cut off", async () => {
    await waiting("three")
    const first = await eventsOf("three", "?after=0", 5)
    expect(first.map(({ id, event }) => `${id} ${event}`)).toEqual([
      "1 stage",
      "2 entry",
      "3 entry",
      "4 approval",
      "5 stage",
    ])
    // What a tool wrote cannot pass for an event.
    expect(first[2]?.data).toBe("two\ndata: forged\n\nevent: stage")
    const rest = eventsOf("three", "?after=4", 2)
    await store.sessions.wake("three")
    valueOf(await store.lines.ship(await heldAgain(store, "three"), 3, ["more"]))
    expect((await rest).map(({ id, data }) => [id, data])).toEqual([
      ["5", '{"stage":"awaiting_tool_approval"}'],
      ["6", "more"],
    ])
  })
})

describe("an attacker", () => {
  test("without a token, or with a wrong one, gets nothing but health", async () => {
    expect((await ask("GET", "/api/health")).body).toEqual({ ok: true })
    for (const authorization of [
      "",
      "Bearer",
      "Bearer x",
      `Basic ${secretOf("admin")}`,
      `Bearer ${secretOf("admin")}x`,
    ])
      for (const path of ["/api/sessions", "/api/nothing", "/", "/api/sessions/one/events"])
        expect((await ask("GET", path, { headers: { authorization } })).status).toBe(401)
    expect((await ask("GET", `/api/sessions?token=${secretOf("admin")}`)).status).toBe(401)
  })

  test("under another name, or from another site, gets nothing", async () => {
    for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1:${port + 1}`, ""])
      expect(await raw(`GET /api/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).not.toContain(
        "200 OK",
      )
    for (const origin of ["http://evil.example", "null", `http://127.0.0.1:${port}.evil.example`]) {
      const answer = await ask("GET", "/api/approvals", { as: "admin", headers: { origin } })
      expect([answer.status, answer.body]).toEqual([403, refused("forbidden")])
      expect(answer.headers.get("access-control-allow-origin")).toBeNull()
    }
    expect((await ask("GET", "/api/approvals", { as: "viewer", headers: { origin: server.url } })).status).toBe(200)
  })

  test("with a lower role decides, cancels and reads nothing", async () => {
    await waiting("four")
    const body = { decision: "allow", digest: "digest of rm a" }
    expect((await ask("POST", "/api/sessions/four/approvals/q", { as: "viewer", body })).status).toBe(403)
    expect((await ask("DELETE", "/api/sessions/four", { as: "viewer" })).status).toBe(403)
    expect((await ask("GET", "/api/audit", { as: "operator" })).status).toBe(403)
    expect((await store.approvals.of("four"))[0]?.state).toBe("open")
    expect(await store.tokens.revoke("the viewer", "root")).toBe(true)
    expect((await ask("GET", "/api/approvals", { as: "viewer" })).status).toBe(401)
  })

  test("with bodies that are too large, never end, or are not what is asked for, changes nothing", async () => {
    await waiting("five")
    const path = "/api/sessions/five/approvals/q"
    const large = await ask("POST", path, { as: "operator", body: { message: "x".repeat(1_500_000) } })
    expect([large.status, large.body]).toEqual([413, refused("too_large")])
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${secretOf("operator")}\r\n`
    const chunk = `${(100_000).toString(16)}\r\n${"x".repeat(100_000)}\r\n`
    expect(await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(15)}`)).toContain("413")
    const unknown = await ask("POST", path, { as: "operator", body: { decision: "allow", digest: "d", admin: true } })
    expect(unknown.status).toBe(422)
    expect(JSON.stringify(unknown.body)).toContain("admin")
    for (const body of [[], "x", null, 1, { decision: "maybe", digest: "d" }])
      expect([400, 422]).toContain((await ask("POST", path, { as: "operator", body })).status)
    for (const odd of [
      "/api/sessions/..%2f..%2fetc",
      "/api/sessions/%00",
      "/api/sessions/a'b",
      "/api//sessions",
      "/etc/passwd",
    ])
      expect((await ask("GET", odd, { as: "operator" })).status).toBe(404)
    expect((await store.approvals.of("five"))[0]?.state).toBe("open")
  })
})

/** What comes back on a connection of our own, until something has come. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve) => {
    let said = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(text))
    socket.on("data", (piece) => {
      said += piece.toString()
      socket.destroy()
    })
    socket.on("error", () => undefined)
    socket.on("close", () => resolve(said))
  })

interface Heard {
  readonly id: string
  readonly event: string
  readonly data: string
}

async function eventsOf(id: string, query: string, count: number): Promise<readonly Heard[]> {
  const leaving = new AbortController()
  const response = await fetch(`${server.url}/api/sessions/${id}/events${query}`, {
    headers: { authorization: `Bearer ${secretOf("operator")}` },
    signal: leaving.signal,
  })
  const heard: Heard[] = []
  let text = ""
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString("utf8")
    const parts = text.split("\n\n")
    text = parts.pop() ?? ""
    for (const part of parts.filter((each) => each.startsWith("id:"))) {
      const field = (name: string): string =>
        part
          .split("\n")
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join("\n")
      heard.push({ id: field("id"), event: field("event"), data: field("data") })
    }
    if (heard.length >= count) break
  }
  leaving.abort()
  return heard
}
