/** Decisions over HTTP: what each of them is about, who may make it, and what is written down. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import type { Database } from "#lib/database.ts"
import type { JsonObject } from "#lib/json.ts"
import type { FleetApproval, NewApproval, NewSession, UserRole } from "#fleet/records.ts"
import type { Coverage } from "#faces/web/page/contract.ts"
import type { PlanOverview } from "#session/port/stage-overview.ts"
import { openUsual } from "../../kit/database/engines.ts"
import { undocumentedEvents } from "../../kit/fleet/api-document.ts"
import { approval, heldAgain, session } from "../../kit/fleet/records.ts"
import {
  type Answered,
  type Asked,
  openTestServer,
  refused,
  secretOf,
  type TestServer,
} from "../../kit/fleet/web-server.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const folder = lastingFolder()
let database: Database
let server: TestServer
const reports: string[] = []

beforeAll(async () => {
  database = await openUsual({ join: (name = "") => join(folder, name) })
  server = await openTestServer(database, { report: (text) => reports.push(text) })
}, 300_000)

afterAll(async () => {
  await server.close()
  await database.close()
  expect(reports).toEqual([])
})

let count = 0
/** A session of the operator's that waits for these. */
async function asking(approvals: readonly NewApproval[], more: Partial<NewSession> = {}): Promise<string> {
  const id = `s${++count}`
  await server.store.sessions.create(session(id, { labels: [id], ...more }), "the operator")
  await askAgain(id, approvals)
  return id
}

async function askAgain(id: string, approvals: readonly NewApproval[], plan?: PlanOverview): Promise<void> {
  const lease = await heldAgain(server.store, id)
  valueOf(await server.store.leases.park(lease, { stage: "awaiting_tool_approval", ...(plan && { plan }) }, approvals))
}

const post = (path: string, body: object, how: Asked = { as: "operator" }): Promise<Answered> =>
  server.ask("POST", `/api/sessions/${path}`, { ...how, body })

const states = async (id: string): Promise<readonly string[]> =>
  (await server.store.approvals.of(id)).map((each) => `${each.id} ${each.state}`)

describe("a plan", () => {
  const planned = (id: string, text: string): NewApproval => {
    const input = { plan: text, path: "/plans/p.md", modes: ["default"], wishes: [] }
    return approval(id, text, { kind: "plan", action: { tool: "ExitPlanMode", input } })
  }
  const shown = { markdown: "A", filesToCreate: [], filesToModify: [], commands: [], tests: [] }

  test("that was approved is not the one that waits now", async () => {
    const id = await asking([])
    await server.store.sessions.wake(id)
    await askAgain(id, [planned("q1", "A")], { ...shown, digest: "digest of A" })
    const body = { digest: "digest of A" }
    expect(await post(`${id}/plan/approve`, body)).toMatchObject({ status: 200, body: { id: "q1", state: "allowed" } })
    await askAgain(id, [planned("q2", "B")])
    const again = await post(`${id}/plan/approve`, body)
    expect(again).toMatchObject({ status: 200, body: { id: "q1", effective: false } })
    const rejected = await post(`${id}/plan/reject`, { ...body, feedback: "No" })
    expect(rejected).toMatchObject({ status: 200, body: { id: "q1", effective: false } })
    expect(await states(id)).toEqual(["q1 allowed", "q2 open"])
    expect((await post(`${id}/plan/approve`, { digest: "of none" })).body).toEqual(refused("void"))
  })

  test("is decided by its own digest while others wait too", async () => {
    const id = await asking([planned("q1", "A"), planned("q2", "B"), planned("q3", "C")])
    expect(await post(`${id}/plan/approve`, { digest: "digest of A" })).toMatchObject({ body: { id: "q1" } })
    expect(await post(`${id}/plan/reject`, { digest: "digest of B", feedback: "No" })).toMatchObject({ status: 200 })
    expect(await states(id)).toEqual(["q1 allowed", "q2 denied", "q3 open"])
  })
})

describe("a rule that is saved with a decision", () => {
  const destinations = ["session", "project settings", "user settings"] as const
  const offering = (id: string, whose?: "own" | "shared"): NewApproval =>
    approval(id, id, { details: { rules: ["Bash(rm:*)"], destinations, ...(whose && { folder: whose }) } })
  const allowing = (id: string, more: object = {}): object => ({
    decision: "allow",
    digest: `digest of ${id}`,
    ...more,
  })

  describe("shows what it would have answered", () => {
    const rules = ["Bash(npm test:*)", "Bash(npm run lint:*)"]
    const offer = (id: string, whose: "own" | "shared" = "own"): NewApproval =>
      approval(id, id, { details: { rules, destinations, folder: whose } })
    const coverage = (id: string, name: string, query: string, as: UserRole = "operator"): Promise<Answered> =>
      server.ask("GET", `/api/sessions/${id}/approvals/${name}/coverage?${query.toString()}`, { as })
    const inFolder = (path: string): Partial<NewSession> => ({ opening: { workspace: { path }, confined: true } })
    /** Decisions as people made them before. */
    async function decided(folder_: string, commands: readonly (readonly [command: string, allows: boolean])[]) {
      const id = await asking(
        commands.map(([command]) => approval(command.replace(/\W+/g, "-"), command)),
        inFolder(folder_),
      )
      for (const [command, allows] of commands)
        await post(`${id}/approvals/${command.replace(/\W+/g, "-")}`, {
          decision: allows ? "allow" : "deny",
          digest: `digest of ${command}`,
        })
      return id
    }

    test("of the session, of its folder, or of all, with what was denied first", async () => {
      const before = await decided("/srv/covered", [
        ["npm test", true],
        ["npm test -- --watch", false],
        ["npm test && npm run lint", true],
        ["npm test && rm -r build", true],
        ["npm tests", true],
        ["git push", true],
      ])
      await decided("/srv/other", [["npm test -- other", true]])
      const id = await asking([offer("npm-now")], inFolder("/srv/covered"))
      expect((await coverage(id, "npm-now", "remember=session")).body).toEqual({
        compared: 0,
        allowed: 0,
        denied: 0,
        examples: [],
      })
      const one = (await coverage(id, "npm-now", "remember=project&rules=0")).body as unknown as Coverage
      expect([one.compared, one.allowed, one.denied]).toEqual([6, 1, 1])
      expect(one.examples.map(({ state, what }) => `${state} ${what}`)).toEqual([
        "denied npm test -- --watch",
        "allowed npm test",
      ])
      expect(one.examples[0]).toMatchObject({
        sessionId: before,
        sessionTitle: `Session ${before}`,
        by: "the operator",
      })
      // Two rules together cover a line that neither covers alone.
      const both = (await coverage(id, "npm-now", "remember=project")).body as unknown as Coverage
      expect(both.examples.map(({ what }) => what)).toEqual([
        "npm test -- --watch",
        "npm test && npm run lint",
        "npm test",
      ])
      const all = (await coverage(id, "npm-now", "remember=user", "admin")).body as unknown as Coverage
      expect(all.examples.map(({ what }) => what)).toContain("npm test -- other")
    })

    test("only to whoever may save it there, and only for rules that are offered", async () => {
      const id = await asking([offer("shared-now", "shared")], inFolder("/srv/covered"))
      const asked = async (query: string, as?: UserRole): Promise<number> =>
        (await coverage(id, "shared-now", query, as)).status
      expect(await asked("remember=project")).toBe(403)
      expect(await asked("remember=user")).toBe(403)
      expect(await asked("remember=session", "viewer")).toBe(403)
      expect(await asked("remember=session&rules=2")).toBe(422)
      for (const query of [
        "",
        "remember=everywhere",
        "remember=session&rules=-1",
        "remember=session&rules=a",
        "remember=session&rule=0",
      ])
        expect([query, await asked(query)]).toEqual([query, 422])
      expect((await coverage(id, "none", "remember=session")).status).toBe(404)
      const others = session("theirs-now", { labels: ["theirs-now"] })
      await server.store.sessions.create(others, "somebody else")
      await askAgain("theirs-now", [offer("theirs")])
      expect((await coverage("theirs-now", "theirs", "remember=session")).status).toBe(403)
    })
  })

  describe("that somebody wrote instead of those offered", () => {
    const parts = ["npm ci", "npm test"].map((text) => ({
      text,
      needsConsent: true,
      why: "runs code",
      rule: `Bash(${text}:*)`,
    }))
    const written = (command: string, more: object = {}): NewApproval =>
      approval("q", command, {
        details: { rules: parts.map(({ rule }) => rule), parts, destinations, folder: "own", ...more },
      })
    const line = "npm ci && npm test"

    test("is saved if it covers the action or a part of it, and shows what it would have answered", async () => {
      const before = await asking([approval("b", "npm ci --omit=dev")])
      await post(`${before}/approvals/b`, allowing("npm ci --omit=dev", { decision: "deny" }))
      for (const rules of [["Bash(npm:*)"], ["Bash(npm ci)", "Bash(npm t*)"], ["Bash(npm ci:*)"]]) {
        const id = await asking([written(line)])
        const query = new URLSearchParams({ remember: "session", written: rules.join("\n") })
        const shown = await server.ask("GET", `/api/sessions/${id}/approvals/q/coverage?${query.toString()}`, {
          as: "operator",
        })
        expect(shown).toMatchObject({ status: 200, body: { compared: 0 } })
        const answer = await post(`${id}/approvals/q`, allowing(line, { remember: "session", written: rules }))
        expect(answer).toMatchObject({ status: 200, body: { state: "allowed" } })
        const audit = (await server.store.audit(0, 10_000)).filter(({ sessionId }) => sessionId === id)
        expect(audit.map(({ what }) => what)).toContain(`approved; saved for session: ${rules.join(", ")}`)
      }
      const id = await asking([written(line)])
      const all = new URLSearchParams({ remember: "user", rules: "1", written: "Bash(npm ci:*)" })
      const { body } = await server.ask("GET", `/api/sessions/${id}/approvals/q/coverage?${all.toString()}`, {
        as: "admin",
      })
      expect((body as unknown as Coverage).examples[0]).toMatchObject({ state: "denied", what: "npm ci --omit=dev" })
    })

    test.each([
      ["nothing at hand", "Bash(cargo test:*)"],
      ["another command of the program", "Bash(npm publish:*)"],
      ["any command", "Bash"],
      ["any command, with a star", "Bash(*)"],
      ["any command, by prefix", "Bash(:*)"],
      ["any program", "Bash(* ci)"],
      ["any program by its first letters", "Bash(np*)"],
      ["a shell", "Bash(sh -c:*)"],
      ["another tool", "Edit(**)"],
      ["every file", "Edit(//**)"],
      ["a tool of a server", "mcp__git__push"],
      ["no tool", "Basj(npm ci:*)"],
      ["all tools", "*"],
      ["a line of its own besides", "Bash(npm ci:*)\nBash(rm:*)"],
      ["two rules in one", "Bash(npm ci:*) Bash(rm:*)"],
      ["half a rule", "Bash(npm ci"],
      ["words that are not seen", "Bash(npm\u200b ci:*)"],
      ["words that are turned around", "Bash(\u202enpm ci:*)"],
      ["colors", "\u001b[31mBash(npm ci:*)"],
      ["markup", "<img src=x onerror=alert(1)>"],
      ["nothing", ""],
      ["too much", `Bash(npm ci ${"x".repeat(600)}:*)`],
    ])("is refused if it is about %s", async (_, rule) => {
      const id = await asking([written(line)])
      const refusedWith = { status: 422, body: refused("invalid") }
      const body = allowing(line, { remember: "session", written: [rule] })
      expect(await post(`${id}/approvals/q`, body)).toMatchObject(refusedWith)
      const also = allowing(line, { remember: "session", written: ["Bash(npm:*)", rule] })
      expect(await post(`${id}/approvals/q`, also)).toMatchObject(refusedWith)
      expect(await states(id)).toEqual(["q open"])
    })

    test("needs the right to save it there, a place, a yes, and that a rule is offered at all", async () => {
      const id = await asking([written(line, { folder: "shared" })])
      const tried = async (more: object, as: UserRole = "operator") =>
        (await post(`${id}/approvals/q`, allowing(line, { written: ["Bash(npm:*)"], ...more }), { as })).status
      expect(await tried({ remember: "project" })).toBe(403)
      expect(await tried({ remember: "user" })).toBe(403)
      expect(await tried({ remember: "session" }, "viewer")).toBe(403)
      expect(await tried({})).toBe(422)
      expect(await tried({ remember: "session", decision: "deny" })).toBe(422)
      const query = new URLSearchParams({ remember: "project", written: "Bash(npm:*)" })
      const path = (of: string): string => `/api/sessions/${of}/approvals/q/coverage?${query.toString()}`
      expect((await server.ask("GET", path(id), { as: "operator" })).status).toBe(403)
      const without = await asking([written(line, { rules: [], destinations: [], parts: [] })])
      const body = allowing(line, { remember: "session", written: ["Bash(npm:*)"] })
      expect((await post(`${without}/approvals/q`, body)).status).toBe(422)
      expect(await states(id)).toEqual(["q open"])
    })
  })

  test("holds for others only if an admin says so", async () => {
    const id = await asking([
      offering("own", "own"),
      offering("shared", "shared"),
      offering("old"),
      offering("mine", "own"),
    ])
    for (const [name, remember] of [
      ["own", "user"],
      ["shared", "user"],
      ["shared", "project"],
      ["old", "project"],
    ] as const) {
      const answer = await post(`${id}/approvals/${name}`, allowing(name, { remember }))
      expect([name, answer.status, answer.body]).toEqual([name, 403, refused("forbidden")])
    }
    expect((await states(id)).every((each) => each.endsWith("open"))).toBe(true)
    const accepted = [
      await post(`${id}/approvals/own`, allowing("own", { remember: "project" })),
      await post(`${id}/approvals/shared`, allowing("shared", { remember: "session" })),
      await post(`${id}/approvals/old`, allowing("old", { remember: "project" }), { as: "admin" }),
      await post(`${id}/approvals/mine`, allowing("mine", { remember: "user" }), { as: "admin" }),
    ]
    expect(accepted.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  test("is offered where whoever looks may save it", async () => {
    const id = await asking([offering("own", "own"), offering("shared", "shared")])
    const offered = (approvals: unknown): unknown =>
      (approvals as FleetApproval[]).filter((each) => each.sessionId === id).map(({ details }) => details?.destinations)
    const places = async (as: UserRole): Promise<unknown> => {
      const { body } = await server.ask("GET", `/api/sessions/${id}`, { as })
      const inbox = await server.ask("GET", "/api/approvals", { as })
      const [shown, listed] = [body as { pending: unknown }, inbox.body as { approvals: unknown }]
      expect(offered(listed.approvals)).toEqual(offered(shown.pending))
      return offered(shown.pending)
    }
    expect(await places("operator")).toEqual([["session", "project settings"], ["session"]])
    expect(await places("admin")).toEqual([destinations, destinations])
  })

  test("is refused if it would not be saved", async () => {
    const input = { plan: "A", path: "/plans/p.md", modes: ["default"], wishes: [] }
    const plan = approval("plan", "plan", { kind: "plan", action: { tool: "ExitPlanMode", input } })
    const little = approval("little", "little", { details: { rules: ["Bash(rm:*)"], destinations: ["session"] } })
    const id = await asking([approval("plain", "plain"), little, plan])
    const wrong: readonly (readonly [string, object])[] = [
      ["plain", { remember: "session" }],
      ["plain", { rules: [] }],
      ["little", { remember: "user" }],
      ["little", { rules: ["Bash(rm:*)"] }],
      ["little", { remember: "session", decision: "deny" }],
      ["plan", { remember: "session" }],
    ]
    for (const [name, more] of wrong) {
      const answer = await post(`${id}/approvals/${name}`, allowing(name, more), { as: "admin" })
      expect([name, more, answer.status, answer.body]).toEqual([name, more, 422, refused("invalid")])
    }
    expect(await states(id)).toEqual(["plain open", "little open", "plan open"])
  })

  test("is in the audit, with the mode and that the input was edited", async () => {
    const mode = { mode: "acceptEdits" } as const
    const id = await asking([
      offering("a", "own"),
      approval("b", "b", { details: mode }),
      approval("c", "c"),
      approval("d", "d"),
    ])
    await post(`${id}/approvals/a`, allowing("a", { remember: "session", input: { command: "rm b" } }))
    await post(`${id}/approvals/b`, allowing("b", mode))
    await post(`${id}/approvals/c`, allowing("c"))
    await post(`${id}/approvals/d`, allowing("d", { decision: "deny" }))
    const told = (await server.store.audit(0, 10_000)).filter(
      ({ sessionId, approvalId }) => sessionId === id && approvalId,
    )
    expect(told.map(({ what }) => what)).toEqual([
      "approved; saved for session: Bash(rm:*); input edited",
      "approved; mode acceptEdits",
      "approved",
      "denied",
    ])
  })
})

test("answers are taken by questions and forms only: they never allow a call or approve a plan", async () => {
  const plan = { plan: "A", path: "/plans/p.md", modes: ["default"], wishes: [] }
  const question = { question: "Which?", header: "W", options: [{ label: "L", description: "" }], multiSelect: false }
  const id = await asking([
    approval("call", "call"),
    approval("plan", "plan", { kind: "plan", action: { tool: "ExitPlanMode", input: plan } }),
    approval("ask", "ask", { kind: "question", action: { tool: "AskUser", input: { questions: [question] } } }),
    approval("form", "form", { kind: "elicitation" }),
  ])
  const answer = (name: string, answers: object): Promise<Answered> =>
    post(`${id}/answers/${name}`, { digest: `digest of ${name}`, answers })
  for (const name of ["call", "plan"]) expect([name, (await answer(name, {})).body]).toEqual([name, refused("invalid")])
  expect(await states(id)).toEqual(["call open", "plan open", "ask open", "form open"])
  expect((await answer("ask", { "Which?": "L" })).status).toBe(200)
  expect((await answer("form", { name: "x" })).status).toBe(200)
  // Whoever shows it plainly decides about a plan like about anything else.
  const decision = { decision: "allow", digest: "digest of plan" }
  expect((await post(`${id}/approvals/plan`, decision)).status).toBe(200)
  expect((await answer("plan", {})).status).toBe(422)
  expect((await answer("none", {})).status).toBe(404)
})

test("a stream tells of approvals as the document says, and nothing of what was answered", async () => {
  const expiring = approval("b", "b", { expiresInMs: 600_000, details: { question: "Really?" } })
  const id = await asking([approval("a", "a"), expiring, approval("c", "c")])
  const edited = { decision: "allow", digest: "digest of a", input: { command: "a secret of the decider" } }
  const worded = { decision: "deny", digest: "digest of b", message: "words of the decider" }
  const answers = [await post(`${id}/approvals/a`, edited), await post(`${id}/approvals/b`, worded)]
  await server.store.sessions.wake(id)
  await askAgain(id, [])
  const { events } = (await server.store.sessions.get(id)) ?? { events: 0 }
  const heard = await server.eventsOf(id, "", events)
  const document = (await server.ask("GET", "/api/openapi.json", { as: "viewer" })).body as JsonObject
  expect(undocumentedEvents(document, heard)).toEqual([])
  const told = heard.flatMap(({ event, data }) => (event === "approval" ? [JSON.parse(data) as JsonObject] : []))
  const words = told.map((each) => `${String(each["id"])} ${String(each["state"])}`)
  expect(words).toEqual(["a open", "b open", "c open", "a allowed", "b denied", "c void"])
  expect(told.slice(3, 5)).toEqual(answers.map(({ body }) => body as JsonObject))
  expect(JSON.stringify(told)).not.toContain("of the decider")
})

test.each([
  ["an object", 101, 422],
  ["an object", 200_000, 422],
  ["not closed", 200_000, 400],
  ["an object", 90, 200],
])("an input that is %s, %d levels deep, is answered with %d", async (what, depth, status) => {
  const id = await asking([approval("a", "a")])
  const nested = "[".repeat(depth) + (what === "an object" ? "]".repeat(depth) : "")
  const answer = await fetch(`${server.url}/api/sessions/${id}/approvals/a`, {
    method: "POST",
    headers: { authorization: `Bearer ${secretOf("operator")}` },
    body: `{"decision": "allow", "digest": "digest of a", "input": {"a": ${nested}}}`,
  })
  expect(answer.status).toBe(status)
  expect(await states(id)).toEqual([status === 200 ? "a allowed" : "a open"])
  expect(reports).toEqual([])
})
