/** A viewer saw everybody's sessions, an operator only their own: who was given more rights saw less. */

import { expect, test } from "bun:test"
import { roles, type UserRole } from "#fleet/records.ts"
import { openUsual } from "../kit/database/engines.ts"
import { approval, held } from "../kit/fleet/records.ts"
import { openTestServer, type TestServer } from "../kit/fleet/web-server.ts"
import { temporaryFolder } from "../kit/tmp.ts"
import { valueOf } from "../kit/team/conformance.ts"

const owners = ["the operator", "the admin", "ann"]

/** What somebody of this role gets to see, as words that can be compared. */
async function seen(server: TestServer, as: UserRole): Promise<ReadonlySet<string>> {
  const ids = async (path: string, name: string): Promise<readonly string[]> => {
    const { body } = await server.ask("GET", path, { as })
    const list = (body as Record<string, readonly { id: string; sessionId?: string }[]>)[name] ?? []
    return list.map(({ id, sessionId }) => `${name} ${sessionId ?? id}`)
  }
  const single: string[] = []
  for (const owner of owners) {
    const of = `/api/sessions/${owner.replace(" ", "-")}`
    if ((await server.ask("GET", of, { as })).status === 200) single.push(of)
    if ((await server.eventsOf(owner.replace(" ", "-"), "", 1, { as }).catch(() => [])).length > 0)
      single.push(`${of}/events`)
  }
  return new Set([
    ...(await ids("/api/sessions?limit=200", "sessions")),
    ...(await ids("/api/approvals?all=true", "approvals")),
    ...single,
  ])
}

test("with any visibility, a role sees what lower ones see, and changes only what is its own", async () => {
  using folder = temporaryFolder()
  const database = await openUsual(folder)
  for (const visibility of ["own", "read", "all"] as const) {
    const server = await openTestServer(database, { visibility })
    if (visibility === "own")
      for (const owner of owners)
        valueOf(
          await server.store.leases.park(
            await held(server.store, owner.replace(" ", "-"), owner),
            { stage: "awaiting_tool_approval" },
            [approval("q", "rm a")],
          ),
        )
    const views = new Map<UserRole, ReadonlySet<string>>()
    for (const role of roles) views.set(role, await seen(server, role))
    const [viewer, operator, admin] = (["viewer", "operator", "admin"] as const).map((role) => views.get(role))
    expect([...(viewer ?? [])].filter((each) => !operator?.has(each))).toEqual([])
    expect([...(operator ?? [])].filter((each) => !admin?.has(each))).toEqual([])
    expect(viewer?.size).toBe(visibility === "own" ? 0 : 12)
    expect(admin?.size).toBe(12)

    // What waits for an operator is what they can decide, and the rest says that it is not theirs.
    const inbox = (await server.ask("GET", "/api/approvals", { as: "operator" })).body as { approvals: unknown[] }
    expect(inbox.approvals).toHaveLength(visibility === "all" ? 3 : 1)
    const message = { as: "operator", body: { text: "x" } } as const
    const told = await server.ask("POST", "/api/sessions/ann/messages", message)
    expect(told.status).toBe({ own: 404, read: 403, all: 202 }[visibility])
    if (visibility === "read")
      expect(JSON.stringify(told.body)).toContain("This session belongs to ann. Only they or an admin can change it.")
    const mine = (await server.ask("GET", "/api/sessions/the-operator", { as: "operator" })).body
    expect(mine).toMatchObject({ mayChange: true })
    const theirs = (await server.ask("GET", "/api/sessions/ann", { as: "operator" })).body
    if (visibility !== "own") expect(theirs).toMatchObject({ mayChange: visibility === "all" })
    await server.close()
  }
  await database.close()
}, 300_000)
