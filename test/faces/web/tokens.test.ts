/** Tokens over HTTP: what is revoked stays so, whatever is sent again, and nobody goes by a name that the audit uses for others. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import type { Database } from "#lib/database.ts"
import { openUsual } from "../../kit/database/engines.ts"
import { type Answered, openTestServer, refused, type TestServer } from "../../kit/fleet/web-server.ts"
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

const make = (body: object, key?: string): Promise<Answered> =>
  server.ask("POST", "/api/tokens", { as: "admin", body, headers: key === undefined ? {} : { "idempotency-key": key } })
const revoke = (name: string): Promise<Answered> => server.ask("DELETE", `/api/tokens/${name}`, { as: "admin" })
const isLetIn = async ({ body }: Answered): Promise<boolean> =>
  (await server.ask("GET", "/api/me", { secret: (body as { token: string }).token })).status === 200

test("a revoked token does not come back with the key it was made with", async () => {
  const bot = { name: "bot", role: "operator" }
  const first = await make(bot, "k1")
  expect((await make(bot, "k1")).body).toEqual(first.body)
  expect(await isLetIn(first)).toBe(true)
  expect((await revoke("bot")).status).toBe(204)
  const again = await make(bot, "k1")
  expect([again.status, again.body]).toEqual([409, refused("conflict")])
  expect(await isLetIn(first)).toBe(false)
  // Also not after another one of that name.
  const second = await make(bot, "k2")
  await revoke("bot")
  expect((await make(bot, "k1")).status).toBe(409)
  // A key is kept for a day; after that it is a new one.
  await database.rows("update fleet_keys set at = 0")
  const third = await make(bot, "k1")
  expect(third.status).toBe(200)
  expect([await isLetIn(first), await isLetIn(second), await isLetIn(third)]).toEqual([false, false, true])
})

test("a key with another name, role or end is refused, also once its token is revoked", async () => {
  await make({ name: "ci", role: "viewer" }, "k3")
  await revoke("ci")
  for (const body of [
    { name: "ci2", role: "viewer" },
    { name: "ci", role: "admin" },
    { name: "ci", role: "viewer", expiresAt: "2999-01-01T00:00:00Z" },
  ])
    expect(await make(body, "k3")).toMatchObject({ status: 409, body: refused("conflict") })
  expect(JSON.stringify((await server.ask("GET", "/api/tokens", { as: "admin" })).body)).not.toContain('"ci')
})

test("nobody is named like the server's owner, or like the program in the audit", async () => {
  for (const name of ["root", "Root", "budget", "webhooks", "WebHooks"]) {
    const answer = await make({ name, role: "operator" })
    expect([name, answer.status, answer.body]).toEqual([name, 422, refused("invalid")])
  }
})

test("a token does not end before it begins", async () => {
  const answer = await make({ name: "old", role: "viewer", expiresAt: "2001-01-01T00:00:00Z" })
  expect([answer.status, answer.body]).toEqual([422, refused("invalid")])
  expect(JSON.stringify(answer.body)).toContain("expiresAt")
})
