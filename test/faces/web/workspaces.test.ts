/** Where sessions may be begun, over HTTP. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import type { Database } from "#lib/database.ts"
import { openUsual } from "../../kit/database/engines.ts"
import { type Answered, openTestServer, type TestServer } from "../../kit/fleet/web-server.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const folder = lastingFolder()
let database: Database
let server: TestServer

beforeAll(async () => {
  database = await openUsual({ join: (name = "") => join(folder, name) })
  server = await openTestServer(database, { workspaces: ["/srv/apps", "https://git.example/acme"] })
}, 300_000)

afterAll(async () => {
  await server.close()
  await database.close()
})

const begin = (as: "operator" | "admin", workspace: object): Promise<Answered> =>
  server.ask("POST", "/api/sessions", { as, body: { prompt: "x", workspace } })

test("those who are not admins begin sessions only where the settings say", async () => {
  expect((await begin("operator", { path: "/srv/apps/one" })).status).toBe(201)
  expect((await begin("operator", { git: { url: "https://git.example/acme/app.git" } })).status).toBe(201)
  const refusal = await begin("operator", { path: "/root" })
  expect(refusal).toMatchObject({
    status: 403,
    body: {
      error: {
        code: "forbidden",
        message:
          "Sessions can be started only in /srv/apps, https://git.example/acme. An admin can start one elsewhere, or add to server.workspaces in the settings.",
      },
    },
  })
  expect((await begin("operator", { git: { url: "file:///root/repo" } })).status).toBe(403)
  expect((await begin("admin", { path: "/root" })).status).toBe(201)
})

test("an empty list is for admins alone, and says so", async () => {
  const closed = await openTestServer(database, { workspaces: [] })
  const body = { prompt: "x", workspace: { path: "/srv/apps/one" } }
  expect(await closed.ask("POST", "/api/sessions", { as: "operator", body })).toMatchObject({
    status: 403,
    body: {
      error: {
        message:
          "Only admins can start sessions here: server.workspaces in the settings is empty. Ask an admin to start one, or to add a place.",
      },
    },
  })
  expect((await closed.ask("POST", "/api/sessions", { as: "admin", body })).status).toBe(201)
  await closed.close()
})

test("an address with a password or token is refused, whoever sends it, and not repeated", async () => {
  for (const url of [
    "https://bob:hunter2secret@git.example/acme/app.git",
    "https://hunter2secret@git.example/acme/app.git",
    "ssh://bob:hunter2secret@git.example/acme/app.git",
  ]) {
    const { status, body } = await begin("admin", { git: { url } })
    expect(status).toBe(422)
    expect(JSON.stringify(body)).toContain("credential helper")
    expect(JSON.stringify(body)).not.toContain("hunter2secret")
  }
  expect((await begin("admin", { git: { url: "ssh://git@git.example/acme/app.git" } })).status).toBe(201)
})
