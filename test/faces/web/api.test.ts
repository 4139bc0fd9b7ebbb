/** The whole API, with both engines: what clients may ask, of whose sessions, and how often. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Database, DatabaseLost } from "#lib/database.ts"
import type { JsonObject } from "#lib/json.ts"
import type { ApprovalDetails } from "#session/port/approval-details.ts"
import { newSessionBody } from "#faces/web/request-schemas.ts"
import { onEngines } from "../../kit/database/engines.ts"
import { documentFaults, undocumented } from "../../kit/fleet/api-document.ts"
import type { Lease, OpAnswer, UserRole } from "#fleet/records.ts"
import type { FleetStore } from "#fleet/store.ts"
import { approval, held, longMs, worker } from "../../kit/fleet/records.ts"
import { openTestServer, refused, type TestServer, waiting } from "../../kit/fleet/web-server.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { seedTeam } from "../../kit/web/seed-team.ts"

onEngines(serves)

interface Listed {
  readonly id?: string
  readonly approvals?: readonly { readonly sessionId: string }[]
  readonly sessions?: readonly Listed[]
  readonly pending?: readonly object[]
}

/** No worker takes it but one with the label. */
const wanted = { prompt: "Fix the tests\nall of them", workspace: { path: "/repo" }, labels: ["one"] }

function serves(connect: () => Promise<Database>): void {
  let database: Database
  let server: TestServer
  beforeAll(async () => {
    database = await connect()
    server = await openTestServer(database)
  }, 300_000)
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
      gates: { plan: true },
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
      opening: { workspace: { git }, budgetUsd: 2, gates: { plan: true } },
      labels: ["nobody"],
    })
    // A gate of the worker's settings is left out only by an admin.
    const without = { ...body, gates: { plan: true, testFirst: false } }
    const refusal = await server.ask("POST", "/api/sessions", { as: "operator", body: without })
    expect([refusal.status, refusal.body]).toEqual([403, refused("forbidden")])
    expect(JSON.stringify(refusal.body)).toContain("Leaving out the gate testFirst needs the role admin.")
    const byAdmin = await server.ask("POST", "/api/sessions", { as: "admin", body: without })
    const left = await server.store.sessions.get((byAdmin.body as { id: string }).id)
    expect([kept?.opening.openGates, left?.opening.openGates]).toEqual([undefined, ["testFirst"]])
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
      ...["--output=x", "a..b", "@{-1}", "main@{1}", "x.lock", "a/x.lock/b", ".x", "a/.x", "a//b", "a/", "a.", "@"].map(
        (ref) => [{ ...wanted, workspace: { git: { url: "/a", ref } } }, "workspace"] as const,
      ),
      ...["/", "//", "/proc/self", "/proc", "/dev", "/sys/kernel", "/srv/../proc/1", "/srv/.."].map(
        (path) => [{ ...wanted, workspace: { path } }, "workspace"] as const,
      ),
    ]
    for (const [body, name] of wrong) {
      const answer = await server.ask("POST", "/api/sessions", { as: "operator", body })
      expect([answer.status, answer.body]).toEqual([422, refused("invalid")])
      expect(JSON.stringify(answer.body)).toContain(name)
    }
    for (const ref of ["main", "v1.2.3", "feature/x-1", "release.lock-free", "0123abc", "refs/heads/a@b"])
      expect(newSessionBody.safeParse({ ...wanted, workspace: { git: { url: "/a", ref } } }).success).toBe(true)
    for (const path of ["/srv/process", "/home/ann/dev", "/development", "/srv/a/../b"])
      expect(newSessionBody.safeParse({ ...wanted, workspace: { path } }).success).toBe(true)
    const bypass = { ...wanted, mode: "bypassPermissions" }
    expect((await server.ask("POST", "/api/sessions", { as: "operator", body: bypass })).status).toBe(403)
    expect((await server.ask("POST", "/api/sessions", { as: "viewer", body: wanted })).status).toBe(403)
    for (const query of ["?stage=later", "?stage=failed,", "?limit=0", "?limit=x", "?admin=1"])
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
    const carried = await answerAll(server.store, await taken(server.store, "orders"))
    // The first op of a session is its prompt.
    expect(carried.slice(-3)).toEqual(["prompt", "interrupt", "preview"])
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

  test("a gate is switched by a worker, within what the role may, and what is said of it is shown", async () => {
    const id = await create({ ...wanted, labels: ["gates"] })
    const lease = await taken(server.store, "gates")
    const post = (as: UserRole, body: object, headers = {}) =>
      server.ask("POST", `/api/sessions/${id}/gates`, { as, body, headers })
    for (const [body, status] of [
      [{ gate: "gti", on: true }, 422],
      [{ gate: "git", on: "yes" }, 422],
      [{ gate: "git", on: true, force: true }, 422],
      [{ on: true }, 422],
    ] as const)
      expect((await post("operator", body)).status).toBe(status)
    expect((await post("viewer", { gate: "git", on: true })).status).toBe(403)
    const orders = async (answer: OpAnswer): Promise<readonly unknown[]> => {
      for (;;) {
        const found = (await server.store.ops.waiting(id)).filter(({ op }) => op?.type === "set_gate")
        for (const each of found) valueOf(await server.store.ops.finish(lease, each.id, answer))
        if (found.length > 0) return found.map(({ op, by }) => [op, by])
        await Bun.sleep(5)
      }
    }
    const gates = [{ gate: "git", on: true, source: "session", by: "the operator" }] as const
    const switching = post("operator", { gate: "git", on: true }, { "idempotency-key": "once" })
    expect(await orders({ ok: true, value: { gates: gates.map((look) => ({ ...look })) } })).toEqual([
      [{ type: "set_gate", gate: "git", on: true, by: "the operator", limits: "session" }, "the operator"],
    ])
    expect(await switching).toMatchObject({ status: 200, body: { gates } })
    expect((await post("operator", { gate: "git", on: true }, { "idempotency-key": "once" })).status).toBe(200)
    const byAdmin = post("admin", { gate: "files", on: false })
    const message = "The gate files is set by the managed policy of this machine and stays on."
    expect(await orders({ ok: false, message })).toEqual([
      [{ type: "set_gate", gate: "files", on: false, by: "the admin" }, "the admin"],
    ])
    expect(await byAdmin).toMatchObject({ status: 403, body: { error: { code: "forbidden", message } } })
    valueOf(await server.store.leases.report(lease, { gates }))
    expect((await server.ask("GET", `/api/sessions/${id}`, { as: "operator" })).body).toMatchObject({ gates })
    const audit = await server.store.audit(0, 1000)
    expect(audit.filter(({ sessionId }) => sessionId === id).map(({ who, what }) => `${who}: ${what}`)).toEqual(
      expect.arrayContaining(["the operator: gate git to be switched on", "the admin: gate files to be switched off"]),
    )
  })

  test("name, mode, model and budget are ops of the session, within what the role may", async () => {
    const id = await create({ ...wanted, labels: ["set"] })
    const lease = await taken(server.store, "set")
    const post = (as: UserRole, body: object) => server.ask("POST", `/api/sessions/${id}/ops`, { as, body })
    for (const [as, body, status] of [
      ["operator", { type: "shell", command: "id" }, 422],
      ["operator", { type: "prompt", content: [{ type: "text", text: "/clear" }], when: "queue" }, 422],
      ["operator", { type: "rename", title: "  " }, 422],
      ["operator", { type: "set_budget", budget: {} }, 422],
      ["operator", { type: "set_mode", mode: "bypassPermissions" }, 403],
      ["viewer", { type: "rename", title: "Mine" }, 403],
    ] as const)
      expect((await post(as, body)).status).toBe(status)
    const asked = async (answer: OpAnswer): Promise<readonly unknown[]> => {
      for (;;) {
        const found = (await server.store.ops.waiting(id)).filter(({ op }) => op?.type !== "prompt")
        for (const each of found) valueOf(await server.store.ops.finish(lease, each.id, answer))
        if (found.length > 0) return found.map(({ op }) => op)
        await Bun.sleep(5)
      }
    }
    const ops = [
      { type: "rename", title: "Mine" },
      { type: "set_mode", mode: "acceptEdits" },
      { type: "set_model", model: "other" },
      { type: "set_budget", budget: { usd: 7 } },
    ]
    for (const op of ops) {
      const answer = post("operator", op)
      expect(await asked({ ok: true, value: {} })).toEqual([op])
      expect(await answer).toMatchObject({ status: 200, body: { id } })
    }
    const refusing = post("operator", { type: "set_mode", mode: "default" })
    await asked({ ok: false, message: "The plan gate is on." })
    expect(await refusing).toMatchObject({ status: 409, body: { error: { message: "The plan gate is on." } } })
    const audit = (await server.store.audit(0, 1000)).flatMap(({ sessionId, what }) => (sessionId === id ? what : []))
    expect(audit).toEqual([
      "session created",
      "rename asked for",
      "mode acceptEdits asked for",
      "model other asked for",
      "budget of $7 asked for",
      "mode default asked for",
    ])
  })

  test("a rewind that no worker carries out stays in the queue", async () => {
    const hasty = await openTestServer(database, { limits: { patienceMs: 50 } })
    const id = await create()
    const answer = await hasty.ask("POST", `/api/sessions/${id}/rewind`, {
      as: "operator",
      body: { to: "p1", files: false, conversation: true },
    })
    expect([answer.status, answer.body]).toEqual([503, refused("unavailable")])
    expect((await server.store.ops.waiting(id)).map(({ op }) => op?.type)).toContain("rewind")
    await hasty.close()
  })

  test("a plan is approved as it is shown, edited, or rejected with words", async () => {
    const planned = async (digest: string): Promise<string> => {
      const id = await create({ ...wanted, labels: [`plan-${digest}`] })
      const lease = await taken(server.store, `plan-${digest}`)
      const plan = { markdown: "# Plan", digest, filesToCreate: [], filesToModify: [], commands: [], tests: [] }
      const wishes = [{ prompt: "run tests", covers: "npm test" }]
      const input = { plan: "# Plan", path: "/plans/p.md", modes: ["default", "acceptEdits"], wishes }
      const action = { tool: "ExitPlanMode", input }
      const asked = approval("p", "the plan", { kind: "plan", digest, action })
      valueOf(await server.store.leases.park(lease, { stage: "awaiting_plan_approval", plan }, [asked]))
      return id
    }
    const decide = (id: string, path: string, body: object) =>
      server.ask("POST", `/api/sessions/${id}/plan/${path}`, { as: "operator", body })
    const [first, second] = [await planned("d1"), await planned("d2")]
    expect((await decide(first, "approve", { digest: "other" })).body).toEqual(refused("void"))
    expect((await decide(first, "approve", { digest: "d1", mode: "bypassPermissions" })).status).toBe(403)
    expect((await decide(first, "approve", { digest: "d1", mode: "dontAsk" })).body).toEqual(refused("invalid"))
    expect((await decide(first, "approve", { digest: "d1", wishes: ["sudo"] })).body).toEqual(refused("invalid"))
    const answer = { plan: "# Better", mode: "acceptEdits", wishes: ["run tests"] }
    const approved = await decide(first, "approve", { digest: "d1", ...answer })
    expect(approved).toMatchObject({ status: 200, body: { kind: "plan", state: "allowed", effective: true } })
    expect((await server.store.approvals.of(first))[0]?.answer).toEqual(answer)
    const late = await decide(first, "reject", { digest: "d1", feedback: "No" })
    expect(late).toMatchObject({ status: 200, body: { state: "allowed", effective: false } })
    const rejected = await decide(second, "reject", { digest: "d2", feedback: "Smaller" })
    expect(rejected).toMatchObject({ status: 200, body: { state: "denied", effective: true } })
    expect((await decide(await create(), "approve", { digest: "d" })).body).toEqual(refused("conflict"))
  })

  test("what a terminal shows of an action is there while it waits, and nothing is kept that was not offered", async () => {
    const id = await create({ ...wanted, labels: ["shown"] })
    const hunk = { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-a", "+b"] }
    const details: ApprovalDetails = {
      question: "Apply this edit to a.ts?",
      display: { kind: "diff", path: "a.ts", hunks: [hunk], created: false },
      rules: ["Edit(./a.ts)"],
      destinations: ["session"],
      mode: "acceptEdits",
    }
    const asked = approval("edit", "the edit", { details })
    const lease = await taken(server.store, "shown")
    valueOf(await server.store.leases.park(lease, { stage: "awaiting_tool_approval" }, [asked]))
    const read = async (path: string) => (await server.ask("GET", path, { as: "operator" })).body as Listed
    const own = ({ approvals = [] }: Listed) => approvals.filter(({ sessionId }) => sessionId === id)
    expect(own(await read("/api/approvals"))).toMatchObject([{ details }])
    expect((await read(`/api/sessions/${id}`)).pending).toMatchObject([{ details }])
    const listed = (await read("/api/sessions?limit=200")).sessions?.find((each) => each.id === id)
    expect(listed?.pending?.map((each) => "details" in each)).toEqual([false])
    const decide = (more: object) =>
      server.ask("POST", `/api/sessions/${id}/approvals/edit`, {
        as: "operator",
        body: { decision: "allow", digest: asked.digest, ...more },
      })
    expect((await decide({ rules: ["Edit"] })).body).toEqual(refused("invalid"))
    expect((await decide({ mode: "dontAsk" })).body).toEqual(refused("invalid"))
    expect((await decide({ mode: "bypassPermissions" })).status).toBe(403)
    expect((await decide({ keep: true })).body).toEqual(refused("invalid"))
    expect(await decide({ mode: "acceptEdits" })).toMatchObject({ status: 200, body: { state: "allowed" } })
    expect((await server.store.approvals.of(id)).map((each) => [each.answer, each.details])).toEqual([
      [{ decision: "allow", mode: "acceptEdits" }, undefined],
    ])
    const events = await server.store.lines.events(id, 0, 100)
    expect(events.filter(({ data }) => data.includes("Apply this edit"))).toEqual([])
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
      ["POST", `${of}/gates`, { gate: "git", on: false }],
      ["POST", `${of}/rewind`, { to: "x", files: true, conversation: true }],
      ["POST", `${of}/approvals/q`, { decision: "allow", digest: "digest of rm a" }],
      ["POST", `${of}/answers/q`, { answers: {}, digest: "digest of rm a" }],
      ["POST", `${of}/plan/approve`, { digest: "d" }],
      ["POST", `${of}/plan/reject`, { digest: "d", feedback: "" }],
    ]
    const own = await openTestServer(database, { visibility: "own" })
    for (const [method, path, body] of attempts)
      expect((await own.ask(method, path, { ...eve, ...(body && { body }) })).status).toBe(404)
    expect((await own.ask("GET", "/api/sessions", eve)).body).toEqual({ sessions: [] })
    expect((await own.ask("GET", "/api/approvals?all=true", eve)).body).toEqual({ approvals: [] })
    await own.close()
    // Unless the settings say so, she may look, and changes nothing all the same.
    for (const [method, path, body] of attempts.slice(2))
      expect((await server.ask(method, path, { ...eve, ...(body && { body }) })).status).toBe(403)
    expect((await server.ask("GET", of, eve)).body).toMatchObject({ id, mayChange: false })
    expect((await server.ask("GET", "/api/approvals", eve)).body).toEqual({ approvals: [] })
    expect((await server.store.approvals.of(id))[0]?.state).toBe("open")
    expect((await server.ask("GET", of, { as: "admin" })).status).toBe(200)
    const open = await openTestServer(database, { visibility: "all" })
    expect((await open.ask("GET", of, eve)).status).toBe(200)
    expect(JSON.stringify((await open.ask("GET", "/api/approvals", eve)).body)).toContain(id)
    expect((await open.eventsOf(id, "", 1, eve)).length).toBeGreaterThan(0)
    await open.close()
  })

  test("an inbox comes whole, or in pages that say how many wait; what was decided is in none of them", async () => {
    const user = `many ${Math.random().toString(36).slice(2)}`
    const secret = `the-secret-of-${user.slice(5)}`
    valueOf(await server.store.tokens.add({ name: user, role: "operator" }, secret, undefined, "root"))
    const ids = Array.from({ length: 5 }, (_, at) => `${user.slice(5)}-${at}`)
    for (const id of ids)
      valueOf(
        await server.store.leases.park(await held(server.store, id, user), { stage: "awaiting_tool_approval" }, [
          approval("q", `rm ${id}`),
        ]),
      )
    const look = async (query: string) => {
      const { body } = await server.ask("GET", `/api/approvals?state=open${query}`, { secret })
      const { approvals, ...rest } = body as { approvals: { sessionId: string }[]; next?: string; total?: number }
      return { ids: approvals.map(({ sessionId }) => sessionId), ...rest }
    }
    expect(await look("")).toEqual({ ids })
    const first = await look("&limit=2")
    expect(first).toEqual({ ids: ids.slice(0, 2), next: expect.any(String) as string, total: 5 })
    const second = await look(`&limit=2&after=${first.next}`)
    expect(second).toEqual({ ids: ids.slice(2, 4), next: expect.any(String) as string, total: 5 })
    expect(await look(`&limit=2&after=${second.next}`)).toEqual({ ids: ids.slice(4), total: 5 })
    expect(await look("&limit=5")).toEqual({ ids, total: 5 })
    const decision = { decision: "allow", digest: `digest of rm ${ids[2]}` }
    await server.ask("POST", `/api/sessions/${ids[2]}/approvals/q`, { secret, body: decision })
    expect(await look(`&after=${first.next}`)).toEqual({ ids: ids.slice(3), total: 4 })
    expect(
      JSON.stringify((await server.ask("GET", "/api/approvals?limit=200", { as: "operator" })).body),
    ).not.toContain(ids[0])
    for (const query of ["limit=0", "limit=201", "after=x", "after=-1"])
      expect((await server.ask("GET", `/api/approvals?${query}`, { secret })).status).toBe(422)
  })

  test("a viewer sees all sessions and changes none, unless everybody sees only their own", async () => {
    const id = `seen-${Math.random().toString(36).slice(2)}`
    await waiting(server.store, id)
    const of = `/api/sessions/${id}`
    expect((await server.ask("GET", of, { as: "viewer" })).status).toBe(200)
    for (const path of ["/api/sessions?limit=200", "/api/approvals"])
      expect(JSON.stringify((await server.ask("GET", path, { as: "viewer" })).body)).toContain(id)
    expect((await server.eventsOf(id, "", 1, { as: "viewer" })).length).toBeGreaterThan(0)
    const acts: readonly (readonly [string, string, object?])[] = [
      ["DELETE", of],
      ["POST", "/api/sessions", wanted],
      ["POST", `${of}/messages`, { text: "x" }],
      ["POST", `${of}/interrupt`, {}],
      ["POST", `${of}/gates`, { gate: "git", on: false }],
      ["POST", `${of}/rewind`, { to: "x", files: true, conversation: true }],
      ["POST", `${of}/approvals/q`, { decision: "allow", digest: "digest of rm a" }],
      ["POST", `${of}/answers/q`, { answers: {}, digest: "digest of rm a" }],
      ["POST", `${of}/plan/approve`, { digest: "d" }],
      ["POST", `${of}/plan/reject`, { digest: "d", feedback: "" }],
      ["POST", "/api/tokens", { name: "more", role: "admin" }],
      ["GET", "/api/audit"],
      ["GET", "/api/audit/file?format=csv"],
      ["GET", "/api/tokens"],
    ]
    for (const [method, path, body] of acts)
      expect([path, (await server.ask(method, path, { as: "viewer", ...(body && { body }) })).status]).toEqual([
        path,
        403,
      ])
    expect((await server.store.approvals.of(id))[0]?.state).toBe("open")
    const own = await openTestServer(database, { visibility: "own" })
    expect((await own.ask("GET", of, { as: "viewer" })).status).toBe(404)
    expect((await own.ask("GET", "/api/approvals", { as: "viewer" })).body).toEqual({ approvals: [] })
    await own.close()
  })

  test("a stream says that something changed to those who see it, also what was missed, and nothing to others", async () => {
    const own = await openTestServer(database, { visibility: "own" })
    const names = ["quiet", "loud"].map((name) => `${name}-${Math.random().toString(36).slice(2)}`)
    const [quiet = "", loud = ""] = names
    for (const name of names)
      valueOf(await server.store.tokens.add({ name, role: "operator" }, `the-secret-of-${name}`, undefined, "root"))
    const listen = (secret: string, last = "") => {
      const leaving = new AbortController()
      const heard: { readonly id: string; readonly data: string }[] = []
      const over = (async () => {
        const headers = { authorization: `Bearer ${secret}`, ...(last !== "" && { "last-event-id": last }) }
        const response = await fetch(`${own.url}/api/changes`, { headers, signal: leaving.signal })
        let text = ""
        for await (const piece of response.body ?? []) {
          text += Buffer.from(piece).toString()
          const found = [...text.matchAll(/^id: (.*)\nevent: changed\ndata: (.*)\n\n/gm)]
          heard.splice(0, heard.length, ...found.map(([, id = "", data = ""]) => ({ id, data })))
        }
      })().catch(() => undefined)
      const kindsAfter = (count: number) => [
        ...new Set(heard.slice(count).flatMap(({ data }) => (JSON.parse(data) as { changed: string[] }).changed)),
      ]
      /** Until all of these were said after so many words; returns how many there are now. */
      const until = async (count: number, ...kinds: readonly string[]) => {
        while (!kinds.every((kind) => kindsAfter(count).includes(kind))) await Bun.sleep(10)
        return heard.length
      }
      return { heard, kindsAfter, until, leave: () => (leaving.abort(), over) }
    }
    const all = '{"changed":["approvals","sessions","teams","workers"]}'
    const [mine, theirs] = [listen(`the-secret-of-${loud}`), listen(`the-secret-of-${quiet}`)]
    let count = await mine.until(0, "sessions")
    expect(mine.heard.map(({ data }) => data)).toEqual([all])
    await theirs.until(0, "sessions")
    const lease = await held(server.store, `of-${loud}`, loud)
    // Who holds it is news of the session, and of the worker.
    count = await mine.until(count, "sessions", "workers")
    valueOf(await server.store.leases.report(lease, { costUsd: 0.5 }))
    count = await mine.until(count, "sessions")
    const about = { name: "crew", lead: "lead" }
    const team = await server.store.teams.open(lease, about)
    valueOf(await team.board.create({ subject: "s", description: "d" }))
    count = await mine.until(count, "teams")
    expect(mine.kindsAfter(1)).not.toContain("approvals")
    await team.close()
    valueOf(await server.store.leases.park(lease, { stage: "awaiting_tool_approval" }, [approval("q", "rm a")]))
    await mine.until(count, "approvals", "sessions", "workers")
    // Workers are everybody's; nothing else of this is heard by others.
    await theirs.until(1, "workers")
    expect(theirs.kindsAfter(1)).toEqual(["workers"])
    // Who comes back where nothing happened hears nothing, until something does.
    const quietly = listen(`the-secret-of-${loud}`)
    await quietly.until(0, "sessions")
    await Promise.all([mine.leave(), quietly.leave()])
    const last = quietly.heard.at(-1)?.id ?? ""
    const back = listen(`the-secret-of-${loud}`, last)
    const admin = listen("the-secret-of-admin")
    const before = await admin.until(0, "sessions")
    const decision = { decision: "deny", digest: "digest of rm a" }
    const path = `/api/sessions/of-${loud}/approvals/q`
    await server.ask("POST", path, { secret: `the-secret-of-${loud}`, body: decision })
    await back.until(0, "approvals")
    expect(back.heard.map(({ data }) => data)).toEqual(['{"changed":["approvals","sessions"]}'])
    await admin.until(before, "approvals")
    await back.leave()
    // Who missed something hears it at once, and so does whoever comes with an id of another server.
    for (const missed of [last, "another.0.0"]) {
      const late = listen(`the-secret-of-${loud}`, missed)
      await late.until(0, "approvals")
      expect(late.heard.map(({ data }) => data)).toEqual([all])
      await late.leave()
    }
    expect(theirs.kindsAfter(1)).toEqual(["workers"])
    await Promise.all([theirs.leave(), admin.leave()])
    await own.close()
    expect((await server.ask("GET", "/api/changes")).status).toBe(401)
  })

  test("sessions of several stages are listed together, each with its repository and nobody's password", async () => {
    const url = "https://ann:secret@git.example.com/app.git"
    const id = await create({ ...wanted, labels: ["placed"] })
    // As it was kept before such addresses were refused.
    const kept = JSON.stringify({ workspace: { git: { url, ref: "main" } } })
    await database.rows("update fleet_sessions set opening = $2 where id = $1", [id, kept])
    const other = await create({ ...wanted, labels: ["placed"] })
    await server.store.sessions.cancel(other, "ann")
    const listed = async (stage: string) => {
      const { body } = await server.ask("GET", `/api/sessions?limit=200&stage=${stage}`, { as: "admin" })
      return (body as { sessions: { id: string; workspace: unknown }[] }).sessions
    }
    const ids = (await listed("executing,cancelled")).map((each) => each.id)
    expect([ids.includes(id), ids.includes(other)]).toEqual([true, true])
    expect((await listed("completed,cancelled")).some((each) => each.id === id)).toBe(false)
    const clean = { git: { url: "https://git.example.com/app.git", ref: "main" } }
    expect((await listed("executing")).find((each) => each.id === id)?.workspace).toEqual(clean)
  })

  test("who has a list already is only told so", async () => {
    const id = await create({ ...wanted, labels: ["marked"] })
    const read = (mark?: string) =>
      fetch(`${server.url}/api/sessions/${id}`, {
        headers: { authorization: "Bearer the-secret-of-operator", ...(mark && { "if-none-match": mark }) },
      })
    const first = await read()
    const mark = first.headers.get("etag") ?? ""
    expect([first.status, first.headers.get("cache-control")]).toEqual([200, "no-store"])
    const again = await read(mark)
    expect([again.status, await again.text()]).toEqual([304, ""])
    valueOf(await server.store.leases.park(await taken(server.store, "marked"), { title: "Another" }))
    expect((await read(mark)).status).toBe(200)
  })

  test("the whole audit is a file, as a table or as lines of JSON, and no cell of it is a formula", async () => {
    const name = '=1+1","@x'
    valueOf(
      await server.store.tokens.add({ name: "audited", role: "viewer" }, "a-secret-for-the-audit", undefined, name),
    )
    const read = async (format: string) => {
      const headers = { authorization: "Bearer the-secret-of-admin" }
      const response = await fetch(`${server.url}/api/audit/file?format=${format}`, { headers })
      expect(response.headers.get("content-disposition")).toBe(`attachment; filename="codewright-audit.${format}"`)
      return response.text()
    }
    const lines = (await read("jsonl")).trimEnd().split("\n")
    const entries = await server.store.audit(0, 100_000)
    expect(entries.at(-1)).toMatchObject({ who: "the admin", what: "audit exported (jsonl)" })
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      entries.map(({ seq: _seq, at, ...entry }) => ({ at: new Date(at).toISOString(), ...entry })),
    )
    const table = await read("csv")
    expect(table.startsWith("at,who,what,session,session title,approval,")).toBe(true)
    expect(table).toContain(`,"'=1+1"",""@x",`)
    expect((await server.ask("GET", "/api/audit/file?format=xml", { as: "admin" })).status).toBe(422)
    expect((await server.ask("GET", "/api/audit/file", { as: "admin" })).status).toBe(422)
  })

  test("the audit is read from its end, page by page, also of one person", async () => {
    for (let i = 0; i < 250; i++) await server.store.note(i % 5 === 0 ? "ann & bob" : "carla", `act ${i}`)
    const readAll = async (query: string) => {
      const pages: { who: string; what: string }[][] = []
      for (let before = ""; ;) {
        const answered = await server.ask("GET", `/api/audit?order=newest${query}${before}`, { as: "admin" })
        expect(answered.status).toBe(200)
        const { entries, next } = answered.body as { entries: { who: string; what: string }[]; next?: string }
        pages.push(entries)
        if (next === undefined) return pages
        before = `&before=${next}`
      }
    }
    const stored = (await server.store.audit(0, 100_000)).map(({ what }) => what).toReversed()
    const all = await readAll("")
    expect(all[0]).toHaveLength(200)
    expect(all.flat().map(({ what }) => what)).toEqual(stored)
    const ofOne = (await readAll("&who=ann%20%26%20bob")).flat()
    expect(ofOne.map(({ what }) => what)).toEqual(Array.from({ length: 50 }, (_, i) => `act ${245 - 5 * i}`))
    expect(await readAll("&who=nobody")).toEqual([[]])
    for (const wrong of ["order=up", "before=5", "who=carla", "order=newest&after=3", "order=newest&before=-1"])
      expect([wrong, (await server.ask("GET", `/api/audit?${wrong}`, { as: "admin" })).status]).toEqual([wrong, 422])
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
    const brief = await make({ name: "brief", role: "viewer", expiresAt: "2999-01-01T00:00:00Z" })
    await database.rows("update fleet_tokens set expires_at = 1 where name = 'brief'")
    expect((await server.ask("GET", "/api/me", { secret: (brief.body as { token: string }).token })).status).toBe(401)
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

  test("the team of a session is shown to whoever may see the session", async () => {
    const id = await create()
    expect((await server.ask("GET", `/api/sessions/${id}/team`, { as: "operator" })).status).toBe(404)
    const team = await seedTeam(database, "shop", id)
    const shown = await server.ask("GET", `/api/sessions/${id}/team`, { as: "operator" })
    expect(shown.body).toMatchObject({
      name: "shop",
      lead: "lead",
      members: [{ name: "lead", sessionId: id }, { name: "mia", state: "working", taskId: "2" }, { name: "noah" }],
      mail: [{ type: "task_notification" }, { from: "mia", to: "lead", summary: "Found the total" }],
    })
    const tasks = (shown.body as { readonly tasks: readonly { readonly status: string }[] }).tasks
    expect(tasks.map(({ status }) => status)).toEqual(["completed", "in_progress", "pending", "pending", "pending"])
    const own = await openTestServer(database, { visibility: "own" })
    expect((await own.ask("GET", `/api/sessions/${id}/team`, { secret: "the-secret-of-eve" })).status).toBe(404)
    await own.close()
    await team.close()
  })

  test("it says that it is not ready while its database is away, and that it runs", async () => {
    expect(await server.ask("GET", "/api/ready")).toMatchObject({ status: 200, body: { ok: true } })
    const owner = (): Promise<never> => Promise.reject(new DatabaseLost("It is away."))
    const { store } = server
    const lost = await openTestServer(database, { store: { ...store, tokens: { ...store.tokens, owner } } })
    expect(await lost.ask("GET", "/api/ready")).toMatchObject({ status: 503, body: refused("unavailable") })
    expect((await lost.ask("GET", "/api/health")).status).toBe(200)
    await lost.close()
  })

  test("the document describes every answer that was given", async () => {
    for (const path of ["/api/health", "/api/ready", "/api/audit", "/api/workers", "/api/nothing"])
      await server.ask("GET", path, { as: "admin" })
    const headers = { origin: server.url, "content-type": "application/json" }
    const token = "the-secret-of-viewer"
    for (const wish of [{ token }, { token: "not-a-token-of-anybody" }, { token, role: "admin" }])
      await server.ask("POST", "/api/sign-in", { body: wish, headers })
    await server.ask("DELETE", "/api/sign-in", { headers })
    expect(server.heard.slice(-4).map((each) => each.status)).toEqual([204, 401, 422, 204])
    const { status, body } = await server.ask("GET", "/api/openapi.json", { as: "viewer" })
    const document = body as JsonObject
    expect([status, document["openapi"]]).toEqual([200, "3.1.0"])
    expect(documentFaults(document)).toEqual([])
    expect(undocumented(document, server.heard)).toEqual([])
    const called = Object.entries(document["paths"] as { readonly [path: string]: object }).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path.replace("/api", "")}`),
    )
    expect(called.toSorted()).toEqual([
      "delete /devices/{id}",
      "delete /sessions/{id}",
      "delete /sessions/{id}/comments/{comment}",
      "delete /sessions/{id}/sharing",
      "delete /sign-in",
      "delete /templates/{name}",
      "delete /tokens/{name}",
      "delete /users/{name}",
      "get /approvals",
      "get /audit",
      "get /audit/file",
      "get /changes",
      "get /choices",
      "get /health",
      "get /me",
      "get /notifications",
      "get /openapi.json",
      "get /quotas",
      "get /ready",
      "get /sessions",
      "get /sessions/{id}",
      "get /sessions/{id}/approvals/{approval}/coverage",
      "get /sessions/{id}/changes",
      "get /sessions/{id}/changes/{file}",
      "get /sessions/{id}/comments",
      "get /sessions/{id}/events",
      "get /sessions/{id}/latest",
      "get /sessions/{id}/sharing",
      "get /sessions/{id}/team",
      "get /sign-in",
      "get /tokens",
      "get /usage",
      "get /workers",
      "post /decide",
      "post /decide/look",
      "post /devices",
      "post /devices/{id}/test",
      "post /notifications",
      "post /sessions",
      "post /sessions/{id}/answers/{approval}",
      "post /sessions/{id}/approvals/{approval}",
      "post /sessions/{id}/changes/refresh",
      "post /sessions/{id}/changes/review",
      "post /sessions/{id}/comments",
      "post /sessions/{id}/comments/send",
      "post /sessions/{id}/gates",
      "post /sessions/{id}/interrupt",
      "post /sessions/{id}/links",
      "post /sessions/{id}/messages",
      "post /sessions/{id}/ops",
      "post /sessions/{id}/owner",
      "post /sessions/{id}/plan/approve",
      "post /sessions/{id}/plan/reject",
      "post /sessions/{id}/publish",
      "post /sessions/{id}/rewind",
      "post /shared",
      "post /sign-in",
      "post /templates",
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
    const lease = await store.leases.acquire(`w-${label}`, longMs)
    if (lease) return lease
    // Somebody may just be writing to it.
    await Bun.sleep(5)
  }
}

/** What a worker would do with the ops of a session. */
async function answerAll(store: FleetStore, lease: Lease): Promise<readonly unknown[]> {
  for (;;) {
    const ops = await store.ops.waiting(lease.sessionId)
    if (!ops.some(({ op }) => op?.type === "preview")) {
      await Bun.sleep(5)
      continue
    }
    for (const each of ops) valueOf(await store.ops.finish(lease, each.id, { ok: true, value: { changed: ["a.ts"] } }))
    return ops.map(({ op }) => op?.type)
  }
}
