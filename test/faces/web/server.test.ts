/** The server of a fleet over real sockets, with both engines: what clients get, and what attackers do not. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Database } from "#lib/database.ts"
import { onEngines } from "../../kit/database/engines.ts"
import { heldAgain } from "../../kit/fleet/records.ts"
import { openTestServer, refused, secretOf, type TestServer, waiting } from "../../kit/fleet/web-server.ts"
import { valueOf } from "../../kit/team/conformance.ts"

onEngines(serves)

function serves(reach: () => Promise<Database>): void {
  let database: Database
  let server: TestServer

  beforeAll(async () => {
    database = await reach()
    server = await openTestServer(database)
  }, 300_000)

  afterAll(async () => {
    await server.close()
    await database.close()
  })

  describe("a client", () => {
    test("finds what waits, decides, and is told which decision counts", async () => {
      await waiting(server.store, "one")
      const inbox = await server.ask("GET", "/api/approvals?state=open", { as: "operator" })
      const shown = {
        id: "q",
        sessionId: "one",
        kind: "tool",
        state: "open",
        digest: "digest of rm a",
        effective: true,
      }
      expect(inbox.body).toMatchObject({ approvals: [shown] })
      const path = "/api/sessions/one/approvals/q"
      const stale = await server.ask("POST", path, { as: "operator", body: { decision: "allow", digest: "other" } })
      expect([stale.status, stale.body]).toEqual([409, refused("void")])
      const body = { decision: "allow", digest: "digest of rm a" }
      const both = await Promise.all([
        server.ask("POST", path, { as: "operator", body }),
        server.ask("POST", path, { as: "admin", body: { ...body, decision: "deny" } }),
      ])
      expect(both.map(({ status }) => status)).toEqual([200, 200])
      const effective = both.map((each) => (each.body as { effective: boolean }).effective)
      expect(effective.toSorted()).toEqual([false, true])
      const session = await server.ask("GET", "/api/sessions/one", { as: "operator" })
      expect(session.body).toMatchObject({ id: "one", worker: null, pending: [], completed: [{ approvalId: "q" }] })
      const audit = await server.ask("GET", "/api/audit", { as: "admin" })
      expect(JSON.stringify(audit.body)).toContain('"approvalId":"q"')
      expect((await server.ask("DELETE", "/api/sessions/one", { as: "operator" })).status).toBe(204)
      const list = await server.ask("GET", "/api/sessions?stage=cancelled", { as: "operator" })
      expect(list.body).toMatchObject({ sessions: [{ id: "one", stage: "cancelled" }] })
      expect((await server.ask("GET", "/api/workers", { as: "viewer" })).body).toMatchObject({ workers: [{ busy: 0 }] })
    })

    test("that sends the same again with its key gets the same answer", async () => {
      await waiting(server.store, "two")
      const headers = { "idempotency-key": "k1" }
      const body = { decision: "deny", digest: "digest of rm a", message: "Not now" }
      const send = (given: object) =>
        server.ask("POST", "/api/sessions/two/approvals/q", { as: "operator", body: given, headers })
      const [first, again] = [await send(body), await send(body)]
      expect(first.body).toMatchObject({ effective: true, state: "denied", decidedBy: "the operator" })
      expect([again.status, again.body]).toEqual([first.status, first.body])
      expect((await send({ ...body, message: "Other" })).body).toEqual(refused("conflict"))
      const [kept] = await server.store.approvals.of("two")
      expect(kept?.answer).toEqual({ decision: "deny", message: "Not now" })
    })

    test("follows a session, and continues where it was cut off", async () => {
      await waiting(server.store, "three")
      const first = await server.eventsOf("three", "?after=0", 5)
      expect(first.map(({ id, event }) => `${id} ${event}`)).toEqual([
        "1 stage",
        "2 entry",
        "3 entry",
        "4 approval",
        "5 stage",
      ])
      // What a tool wrote cannot pass for an event.
      expect(first[2]?.data).toBe("two\ndata: forged\n\nevent: stage")
      const rest = server.eventsOf("three", "?after=4", 2)
      await server.store.sessions.wake("three")
      valueOf(await server.store.lines.ship(await heldAgain(server.store, "three"), 3, ["more"]))
      expect((await rest).map(({ id, data }) => [id, data])).toEqual([
        ["5", '{"stage":"awaiting_tool_approval"}'],
        ["6", "more"],
      ])
    })
  })

  describe("an attacker", () => {
    test("who claims to be further than a session is keeps nobody else from following it", async () => {
      await waiting(server.store, "further")
      const path = "/api/sessions/further/events"
      expect((await server.ask("GET", `${path}?after=2147483648`, { as: "viewer" })).body).toEqual(refused("invalid"))
      const left = new AbortController()
      for (const [query, last] of [
        ["?after=2147483647", ""],
        ["", "999999999"],
      ] as const) {
        const headers = { authorization: `Bearer ${secretOf("viewer")}`, ...(last && { "last-event-id": last }) }
        const stream = await fetch(`${server.url}${path}${query}`, { headers, signal: left.signal })
        expect(stream.status).toBe(200)
      }
      const heard = server.eventsOf("further", "", 6)
      await server.store.sessions.wake("further")
      valueOf(await server.store.lines.ship(await heldAgain(server.store, "further"), 3, ["more"]))
      expect((await heard).at(-1)?.data).toBe("more")
      left.abort()
      expect((await server.ask("GET", "/api/health")).body).toEqual({ ok: true })
    })

    test("without a token, or with a wrong one, gets nothing but health", async () => {
      expect((await server.ask("GET", "/api/health")).body).toEqual({ ok: true })
      for (const authorization of [
        "",
        "Bearer",
        "Bearer x",
        `Basic ${secretOf("admin")}`,
        `Bearer ${secretOf("admin")}x`,
      ])
        for (const path of ["/api/sessions", "/api/nothing", "/", "/api/sessions/one/events"])
          expect((await server.ask("GET", path, { headers: { authorization } })).status).toBe(401)
      expect((await server.ask("GET", `/api/sessions?token=${secretOf("admin")}`)).status).toBe(401)
    })

    test("under another name, or from another site, gets nothing", async () => {
      for (const host of [
        "evil.example",
        `evil.example:${server.port}`,
        "127.0.0.1",
        `127.0.0.1:${server.port + 1}`,
        "",
      ])
        expect(
          await server.raw(`GET /api/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
        ).not.toContain("200 OK")
      for (const origin of ["http://evil.example", "null", `http://127.0.0.1:${server.port}.evil.example`]) {
        const answer = await server.ask("GET", "/api/approvals", { as: "admin", headers: { origin } })
        expect([answer.status, answer.body]).toEqual([403, refused("forbidden")])
        expect(answer.headers.get("access-control-allow-origin")).toBeNull()
      }
      expect(
        (await server.ask("GET", "/api/approvals", { as: "viewer", headers: { origin: server.url } })).status,
      ).toBe(200)
    })

    test("with a lower role decides, cancels and reads nothing", async () => {
      await waiting(server.store, "four")
      const body = { decision: "allow", digest: "digest of rm a" }
      expect((await server.ask("POST", "/api/sessions/four/approvals/q", { as: "viewer", body })).status).toBe(403)
      expect((await server.ask("DELETE", "/api/sessions/four", { as: "viewer" })).status).toBe(403)
      expect((await server.ask("GET", "/api/audit", { as: "operator" })).status).toBe(403)
      expect((await server.store.approvals.of("four"))[0]?.state).toBe("open")
      expect(await server.store.tokens.revoke("the viewer", "root")).toBe(true)
      expect((await server.ask("GET", "/api/approvals", { as: "viewer" })).status).toBe(401)
    })

    test("with bodies that are too large, never end, or are not what is asked for, changes nothing", async () => {
      await waiting(server.store, "five")
      const path = "/api/sessions/five/approvals/q"
      const large = await server.ask("POST", path, { as: "operator", body: { message: "x".repeat(1_500_000) } })
      expect([large.status, large.body]).toEqual([413, refused("too_large")])
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${secretOf("operator")}\r\n`
      const chunk = `${(100_000).toString(16)}\r\n${"x".repeat(100_000)}\r\n`
      expect(await server.raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(15)}`)).toContain("413")
      const unknown = await server.ask("POST", path, {
        as: "operator",
        body: { decision: "allow", digest: "d", admin: true },
      })
      expect(unknown.status).toBe(422)
      expect(JSON.stringify(unknown.body)).toContain("admin")
      for (const body of [[], "x", null, 1, { decision: "maybe", digest: "d" }])
        expect([400, 422]).toContain((await server.ask("POST", path, { as: "operator", body })).status)
      for (const odd of [
        "/api/sessions/..%2f..%2fetc",
        "/api/sessions/%00",
        "/api/sessions/a'b",
        "/api//sessions",
        "/etc/passwd",
      ])
        expect((await server.ask("GET", odd, { as: "operator" })).status).toBe(404)
      expect((await server.store.approvals.of("five"))[0]?.state).toBe("open")
    })
  })

  describe("a browser", () => {
    const cookieIn = (headers: Headers): string => headers.get("set-cookie")?.split(";")[0] ?? ""
    const path = (link: string): string => link.slice(server.url.length)

    test("signs in with a link that works once, and out again", async () => {
      const link = path(server.signInLink())
      const first = await server.ask("GET", link)
      expect([first.status, first.headers.get("location")]).toEqual([303, "/"])
      const set = first.headers.get("set-cookie") ?? ""
      expect(set).toMatch(/; HttpOnly; SameSite=Strict$/)
      expect((await server.ask("GET", link)).status).toBe(403)
      expect((await server.ask("GET", "/sign-in?code=")).status).toBe(403)
      expect((await server.ask("GET", "/sign-in")).status).toBe(403)
      const cookie = cookieIn(first.headers)
      expect((await server.ask("GET", "/api/me", { headers: { cookie } })).body).toEqual({
        name: "root",
        role: "admin",
      })
      const events = await (async () => {
        await waiting(server.store, "cookies")
        return server.eventsOf("cookies", "", 1, { headers: { cookie: `other=1; ${cookie}`, "last-event-id": "4" } })
      })()
      expect(events.map(({ id }) => id)).toEqual(["5"])
      const out = await server.ask("DELETE", "/api/sign-in", { headers: { cookie, origin: server.url } })
      expect(out.status).toBe(204)
      expect((await server.ask("GET", "/api/me", { headers: { cookie } })).status).toBe(401)
    })

    test("signed in with a token is out as soon as the token is revoked", async () => {
      valueOf(await server.store.tokens.add({ name: "bob", role: "operator" }, "the-secret-of-bob", undefined, "root"))
      const headers = { origin: server.url, "content-type": "application/json" }
      const wrong = await server.ask("POST", "/api/sign-in", { body: { token: "not-a-token-of-anybody" }, headers })
      expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([401, null])
      const signed = await server.ask("POST", "/api/sign-in", { body: { token: "the-secret-of-bob" }, headers })
      const cookie = cookieIn(signed.headers)
      expect((await server.ask("GET", "/api/me", { headers: { cookie } })).body).toEqual({
        name: "bob",
        role: "operator",
      })
      expect(await server.store.tokens.revoke("bob", "root")).toBe(true)
      expect((await server.ask("GET", "/api/me", { headers: { cookie } })).status).toBe(401)
    })

    test("that another site makes send its cookie changes nothing", async () => {
      await waiting(server.store, "forged")
      const cookie = cookieIn((await server.ask("GET", path(server.signInLink()))).headers)
      const json = "application/json"
      const attempts: readonly Record<string, string>[] = [
        { "content-type": json },
        { "content-type": "text/plain", origin: server.url },
        { origin: server.url },
        { "content-type": json, origin: "http://127.0.0.1:3000" },
        { "content-type": json, origin: "null" },
        { "content-type": json, origin: server.url, "sec-fetch-site": "same-site" },
      ]
      const body = { decision: "allow", digest: "digest of rm a" }
      for (const headers of attempts) {
        const asked = { body, headers: { cookie, ...headers } }
        const { status } = await server.ask("POST", "/api/sessions/forged/approvals/q", asked)
        expect([400, 403]).toContain(status)
      }
      expect((await server.ask("DELETE", "/api/sessions/forged", { headers: { cookie } })).status).toBe(403)
      const site = { cookie, "sec-fetch-site": "cross-site" }
      expect((await server.ask("GET", "/api/sessions", { headers: site })).status).toBe(403)
      expect((await server.store.approvals.of("forged"))[0]?.state).toBe("open")
      const own = {
        body,
        headers: { cookie, "content-type": json, origin: server.url, "sec-fetch-site": "same-origin" },
      }
      expect((await server.ask("POST", "/api/sessions/forged/approvals/q", own)).status).toBe(200)
    })
  })
}
