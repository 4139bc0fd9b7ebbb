/** The whole API, with both engines: what clients may ask, of whose sessions, and how often. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import type { Database } from "#lib/database.ts"
import type { JsonObject } from "#lib/json.ts"
import { embeddedIn, opened } from "../../kit/database/databases.ts"
import { hasPostgres, type PostgresServer, startPostgres } from "../../kit/database/postgres-server.ts"
import { documentFaults, undocumented } from "../../kit/fleet/api-document.ts"
import type { Lease } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { approval, longMs, worker } from "../../kit/fleet/records.ts"
import { openTestServer, refused, type TestServer, waiting } from "../../kit/fleet/web-server.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { lastingFolder } from "../../kit/tmp.ts"

describe("with the embedded database", () => {
  const folder = lastingFolder()
  serves(async () => opened(await embeddedIn({ join: (name = "") => join(folder, name) })))
})

describe.skipIf(!hasPostgres)("with a Postgres server", () => {
  let postgres: PostgresServer
  beforeAll(async () => void (postgres = await startPostgres()), 120_000)
  serves(() => opened({ kind: "server", url: postgres.url }))
  afterAll(() => postgres[Symbol.asyncDispose]())
})

/** No worker takes it but one with the label. */
const wanted = { prompt: "Fix the tests\nall of them", workspace: { path: "/repo" }, labels: ["one"] }

function serves(connect: () => Promise<Database>): void {
  let database: Database
  let server: TestServer
  beforeAll(async () => {
    database = await connect()
    server = await openTestServer(database)
  }, 120_000)
  afterAll(async () => {
    await server.close()
    await database.close()
  })

  const create = async (body: object = wanted): Promise<string> => {
    const made = await server.ask("POST", "/api/sessions", { as: "operator", body })
    expect(made.status).toBe(201)
    return (made.body as { id: string }).id
  }

  test("a session is created as it is asked for, and belongs to whoever asked", async () => {
    const git = { url: "https://example.com/a.git", ref: "main" }
    const body = {
      prompt: "Fix it",
      workspace: { git },
      mode: "plan",
      model: "sim",
      budgetUsd: 2,
      title: "A title",
      gates: { plan: true, testFirst: false },
      labels: ["nobody"],
    }
    const made = await server.ask("POST", "/api/sessions", { as: "operator", body })
    expect(made.body).toMatchObject({
      title: "A title",
      stage: "planning",
      mode: "plan",
      model: "sim",
      query: "Fix it",
      pending: [],
      completed: [],
      costUsd: 0,
      worker: null,
      createdBy: "the operator",
    })
    const kept = await server.store.sessions.get((made.body as { id: string }).id)
    expect(kept).toMatchObject({
      opening: { workspace: { git }, budgetUsd: 2, gates: { plan: true, testFirst: false } },
      labels: ["nobody"],
    })
    const plain = await server.store.sessions.get(await create())
    expect(plain).toMatchObject({ title: "Fix the tests", mode: "default", model: "", stage: "executing" })
  })

  test("what is wrong with a request is said by name, and nothing is created", async () => {
    const before = await server.store.sessions.list({ limit: 1000 })
    const wrong: readonly (readonly [object, string])[] = [
      [{ ...wanted, prompt: "" }, "prompt"],
      [{ workspace: wanted.workspace }, "prompt"],
      [{ ...wanted, admin: true }, "admin"],
      [{ ...wanted, gates: { plann: true } }, "plann"],
      [{ ...wanted, mode: "yolo" }, "mode"],
      [{ ...wanted, budgetUsd: -1 }, "budgetUsd"],
      [{ ...wanted, workspace: { path: "relative" } }, "workspace"],
      [{ ...wanted, workspace: { path: "/a", git: { url: "/a" } } }, "workspace"],
      ...["ext::sh -c id", "--upload-pack=id", "https://-x", "a@b:-oProxyCommand=id", "/a b"].map(
        (url) => [{ ...wanted, workspace: { git: { url } } }, "workspace"] as const,
      ),
      [{ ...wanted, workspace: { git: { url: "/a", ref: "--output=x" } } }, "workspace"],
    ]
    for (const [body, name] of wrong) {
      const answer = await server.ask("POST", "/api/sessions", { as: "operator", body })
      expect([answer.status, answer.body]).toEqual([422, refused("invalid")])
      expect(JSON.stringify(answer.body)).toContain(name)
    }
    const bypass = { ...wanted, mode: "bypassPermissions" }
    expect((await server.ask("POST", "/api/sessions", { as: "operator", body: bypass })).status).toBe(403)
    expect((await server.ask("POST", "/api/sessions", { as: "viewer", body: wanted })).status).toBe(403)
    for (const query of ["?stage=later", "?limit=0", "?limit=x", "?admin=1"])
      expect((await server.ask("GET", `/api/sessions${query}`, { as: "operator" })).status).toBe(422)
    expect((await server.ask("GET", "/api/sessions?stage=&limit=&after=", { as: "operator" })).status).toBe(200)
    expect(await server.store.sessions.list({ limit: 1000 })).toEqual(before)
  })

  test("with a key a session is created once", async () => {
    const headers = { "idempotency-key": "create once" }
    const send = () => server.ask("POST", "/api/sessions", { as: "operator", body: wanted, headers })
    const all = await Promise.all([send(), send(), send()])
    expect(new Set(all.map(({ body }) => (body as { id: string }).id)).size).toBe(1)
    expect(all.map(({ status }) => status)).toEqual([201, 201, 201])
  })

  test("messages, interrupts and rewinds reach the session in order", async () => {
    const id = await create({ ...wanted, labels: ["orders"] })
    const send = (path: string, body?: object, headers = {}) =>
      server.ask("POST", `/api/sessions/${id}/${path}`, { as: "operator", ...(body && { body }), headers })
    const message = await send("messages", { text: "Also the docs" })
    expect([message.status, message.body]).toEqual([202, { queued: expect.any(String) as string }])
    expect((await send("interrupt")).status).toBe(202)
    expect((await send("messages", { text: "" })).status).toBe(422)
    const rewind = { to: "p1", files: true, conversation: true, dryRun: true }
    const rewinding = send("rewind", rewind, { "idempotency-key": "back" })
    const carried = await carryOut(server.store, await taken(server.store, "orders"))
    // The first order of a session is its prompt.
    expect(carried.slice(-3)).toEqual(["message", "interrupt", "rewind"])
    expect(await rewinding).toMatchObject({ status: 200, body: { changed: ["a.ts"] } })
    expect(await send("rewind", rewind, { "idempotency-key": "back" })).toMatchObject({
      status: 200,
      body: { changed: ["a.ts"] },
    })
    expect((await send("rewind", { ...rewind, to: "p2" }, { "idempotency-key": "back" })).body).toEqual(
      refused("conflict"),
    )
    expect((await server.ask("DELETE", `/api/sessions/${id}`, { as: "operator" })).status).toBe(204)
    expect((await send("messages", { text: "Too late" })).body).toEqual(refused("conflict"))
  })

  test("a rewind that no worker carries out stays in the queue", async () => {
    const hasty = await openTestServer(database, { limits: { patienceMs: 50 } })
    const id = await create()
    const answer = await hasty.ask("POST", `/api/sessions/${id}/rewind`, {
      as: "operator",
      body: { to: "p1", files: false, conversation: true },
    })
    expect([answer.status, answer.body]).toEqual([503, refused("unavailable")])
    expect((await server.store.orders.waiting(id)).map(({ order }) => order.kind)).toContain("rewind")
    await hasty.close()
  })

  test("a plan is approved as it is shown, edited, or rejected with words", async () => {
    const planned = async (digest: string): Promise<string> => {
      const id = await create({ ...wanted, labels: [`plan-${digest}`] })
      const lease = await taken(server.store, `plan-${digest}`)
      const plan = { markdown: "# Plan", digest, filesToCreate: [], filesToModify: [], commands: [], tests: [] }
      const input = { plan: "# Plan", path: "/plans/p.md", modes: ["default", "acceptEdits"] }
      const action = { tool: "ExitPlanMode", input }
      const asked = approval("p", "the plan", { kind: "plan", digest: `question about ${digest}`, action })
      valueOf(await server.store.leases.park(lease, { stage: "awaiting_plan_approval", plan }, [asked]))
      return id
    }
    const decide = (id: string, path: string, body: object) =>
      server.ask("POST", `/api/sessions/${id}/plan/${path}`, { as: "operator", body })
    const [first, second] = [await planned("d1"), await planned("d2")]
    expect((await decide(first, "approve", { digest: "other" })).body).toEqual(refused("void"))
    expect((await decide(first, "approve", { digest: "d1", mode: "bypassPermissions" })).status).toBe(403)
    expect((await decide(first, "approve", { digest: "d1", mode: "dontAsk" })).body).toEqual(refused("invalid"))
    const approved = await decide(first, "approve", { digest: "d1", plan: "# Better", mode: "acceptEdits" })
    expect(approved).toMatchObject({ status: 200, body: { kind: "plan", state: "allowed", effective: true } })
    expect((await server.store.approvals.of(first))[0]?.answer).toEqual({ plan: "# Better", mode: "acceptEdits" })
    const late = await decide(first, "reject", { digest: "question about d1", feedback: "No" })
    expect(late).toMatchObject({ status: 200, body: { state: "allowed", effective: false } })
    const rejected = await decide(second, "reject", { digest: "question about d2", feedback: "Smaller" })
    expect(rejected).toMatchObject({ status: 200, body: { state: "denied", effective: true } })
    expect((await decide(await create(), "approve", { digest: "d" })).body).toEqual(refused("conflict"))
  })

  test("sessions of somebody else are not there, unless everybody sees all", async () => {
    for (const name of ["mallory", "victor"])
      await server.ask("POST", "/api/tokens", {
        as: "admin",
        body: { name, role: name === "victor" ? "viewer" : "operator" },
      })
    valueOf(await server.store.tokens.add({ name: "eve", role: "operator" }, "the-secret-of-eve", undefined, "root"))
    const eve = { secret: "the-secret-of-eve" }
    const id = `of-the-operator-${Math.random().toString(36).slice(2)}`
    await waiting(server.store, id)
    const of = `/api/sessions/${id}`
    const attempts: readonly (readonly [string, string, object?])[] = [
      ["GET", of],
      ["GET", `${of}/events`],
      ["DELETE", of],
      ["POST", `${of}/messages`, { text: "x" }],
      ["POST", `${of}/interrupt`, {}],
      ["POST", `${of}/rewind`, { to: "x", files: true, conversation: true }],
      ["POST", `${of}/approvals/q`, { decision: "allow", digest: "digest of rm a" }],
      ["POST", `${of}/answers/q`, { answers: {}, digest: "digest of rm a" }],
      ["POST", `${of}/plan/approve`, { digest: "d" }],
      ["POST", `${of}/plan/reject`, { digest: "d", feedback: "" }],
    ]
    for (const [method, path, body] of attempts)
      expect((await server.ask(method, path, { ...eve, ...(body && { body }) })).status).toBe(404)
    expect((await server.ask("GET", "/api/sessions", eve)).body).toEqual({ sessions: [] })
    expect((await server.ask("GET", "/api/approvals", eve)).body).toEqual({ approvals: [] })
    expect((await server.store.approvals.of(id))[0]?.state).toBe("open")
    expect((await server.ask("GET", of, { as: "admin" })).status).toBe(200)
    const open = await openTestServer(database, { visibility: "all" })
    expect((await open.ask("GET", of, eve)).status).toBe(200)
    expect(JSON.stringify((await open.ask("GET", "/api/approvals", eve)).body)).toContain(id)
    expect((await open.eventsOf(id, "", 1, eve)).length).toBeGreaterThan(0)
    await open.close()
  })

  test("tokens are made, shown once, end, and are revoked; the database knows no secret", async () => {
    const make = (body: object, headers = {}) => server.ask("POST", "/api/tokens", { as: "admin", body, headers })
    const made = await make({ name: "ci", role: "operator" })
    const { token } = made.body as { token: string }
    expect((await server.ask("GET", "/api/me", { secret: token })).body).toEqual({ name: "ci", role: "operator" })
    expect((await make({ name: "ci", role: "admin" })).body).toEqual(refused("conflict"))
    for (const name of ["", "a b", "../x", ".hidden", "x".repeat(101), "<b>"])
      expect((await make({ name, role: "viewer" })).status).toBe(422)
    expect(
      (await server.ask("POST", "/api/tokens", { as: "operator", body: { name: "x", role: "admin" } })).status,
    ).toBe(403)
    const old = (await make({ name: "old", role: "viewer", expiresAt: "2001-01-01T00:00:00Z" }))
      .body as typeof made.body
    expect((await server.ask("GET", "/api/me", { secret: (old as { token: string }).token })).status).toBe(401)
    const once = { "idempotency-key": "one token" }
    const [first, again] = [
      await make({ name: "bot", role: "viewer" }, once),
      await make({ name: "bot", role: "viewer" }, once),
    ]
    expect(again.body).toEqual(first.body)
    expect((await make({ name: "bot2", role: "viewer" }, once)).body).toEqual(refused("conflict"))
    const listed = await server.ask("GET", "/api/tokens", { as: "admin" })
    expect(JSON.stringify(listed.body)).toContain('{"name":"ci","role":"operator"}')
    expect(JSON.stringify(listed.body)).not.toContain(token)
    expect((await server.ask("DELETE", "/api/tokens/ci", { as: "admin" })).status).toBe(204)
    expect((await server.ask("DELETE", "/api/tokens/ci", { as: "admin" })).status).toBe(404)
    expect((await server.ask("GET", "/api/me", { secret: token })).status).toBe(401)
    for (const secret of [token, (first.body as { token: string }).token])
      for (const table of ["fleet_tokens", "fleet_keys", "fleet_audit", "fleet_logins"])
        expect(JSON.stringify(await database.rows(`select * from ${table}`))).not.toContain(secret)
  })

  test("the document describes every answer that was given", async () => {
    for (const path of ["/api/health", "/api/audit", "/api/workers", "/api/nothing"])
      await server.ask("GET", path, { as: "admin" })
    const { status, body } = await server.ask("GET", "/api/openapi.json", { as: "viewer" })
    const document = body as JsonObject
    expect([status, document["openapi"]]).toEqual([200, "3.1.0"])
    expect(documentFaults(document)).toEqual([])
    expect(undocumented(document, server.heard)).toEqual([])
    const called = Object.entries(document["paths"] as { readonly [path: string]: object }).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path.replace("/api", "")}`),
    )
    expect(called.toSorted()).toEqual([
      "delete /sessions/{id}",
      "delete /tokens/{name}",
      "get /approvals",
      "get /audit",
      "get /health",
      "get /me",
      "get /openapi.json",
      "get /sessions",
      "get /sessions/{id}",
      "get /sessions/{id}/events",
      "get /sessions/{id}/team",
      "get /tokens",
      "get /workers",
      "post /sessions",
      "post /sessions/{id}/answers/{approval}",
      "post /sessions/{id}/approvals/{approval}",
      "post /sessions/{id}/interrupt",
      "post /sessions/{id}/messages",
      "post /sessions/{id}/plan/approve",
      "post /sessions/{id}/plan/reject",
      "post /sessions/{id}/rewind",
      "post /tokens",
    ])
  })

  test("whoever asks too often, opens too many streams or sends too slowly is told so", async () => {
    const strict = await openTestServer(database, {
      limits: {
        requests: { burst: 5, perSecond: 0.001 },
        strangers: { burst: 3, perSecond: 0.001 },
        streams: 3,
        streamsOfOne: 2,
        bodyMs: 100,
      },
    })
    const id = await create()
    const leaving = new AbortController()
    const follow = (as: string) =>
      fetch(`${strict.url}/api/sessions/${id}/events`, {
        headers: { authorization: `Bearer the-secret-of-${as}` },
        signal: leaving.signal,
      })
    const streams = [
      await follow("operator"),
      await follow("operator"),
      await follow("operator"),
      await follow("admin"),
    ]
    streams.push(await follow("admin"))
    expect(streams.map((each) => each.status)).toEqual([200, 200, 429, 200, 429])
    const slow = await strict.raw(
      `POST /api/sessions HTTP/1.1\r\nHost: 127.0.0.1:${strict.port}\r\nAuthorization: Bearer the-secret-of-operator\r\nContent-Length: 100\r\n\r\n{`,
    )
    expect(slow).toContain("did not arrive in time")
    expect((await strict.ask("GET", "/api/me", { as: "operator" })).status).toBe(200)
    const answers = [await strict.ask("GET", "/api/me", { as: "operator" })]
    expect(answers.map(({ status, body }) => [status, body])).toEqual([[429, refused("too_many")]])
    for (const status of [401, 401, 401, 429])
      expect((await strict.ask("GET", "/api/me", { secret: "not-a-token-of-anybody" })).status).toBe(status)
    // Others behind the same address are not kept out by it.
    expect((await strict.ask("GET", "/api/me", { as: "viewer" })).status).toBe(200)
    leaving.abort()
    await strict.close()
  })
}

async function taken(store: FleetStore, label: string): Promise<Lease> {
  await store.leases.beat(worker(`w-${label}`, { labels: [label] }), [], longMs)
  for (;;) {
    const lease = await store.leases.take(`w-${label}`, longMs)
    if (lease) return lease
    // Somebody may just be writing to it.
    await Bun.sleep(5)
  }
}

/** What a worker would do with the orders of a session. */
async function carryOut(store: FleetStore, lease: Lease): Promise<readonly string[]> {
  for (;;) {
    const orders = await store.orders.waiting(lease.sessionId)
    if (!orders.some(({ order }) => order.kind === "rewind")) {
      await Bun.sleep(5)
      continue
    }
    for (const each of orders)
      valueOf(await store.orders.done(lease, each.id, { ok: true, value: { changed: ["a.ts"] } }))
    return orders.map(({ order }) => order.kind)
  }
}
