/** Decisions over HTTP: what each of them is about, who may make it, and what is written down. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import type { Database } from "#lib/database.ts"
import type { FleetPlan, NewApproval, NewSession } from "#fleet/records.ts"
import { embeddedIn, opened } from "../../kit/database/databases.ts"
import { approval, heldAgain, session } from "../../kit/fleet/records.ts"
import { type Answered, type Asked, openTestServer, refused, type TestServer } from "../../kit/fleet/web-server.ts"
import { valueOf } from "../../kit/team/conformance.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const folder = lastingFolder()
let database: Database
let server: TestServer
const reports: string[] = []

beforeAll(async () => {
  database = await opened(await embeddedIn({ join: (name = "") => join(folder, name) }))
  server = await openTestServer(database, { report: (text) => reports.push(text) })
}, 120_000)

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

async function askAgain(id: string, approvals: readonly NewApproval[], plan?: FleetPlan): Promise<void> {
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
