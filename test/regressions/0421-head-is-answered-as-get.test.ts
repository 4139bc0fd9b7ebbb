/** HEAD was refused with 401, for health and the page's own files too. It answers as GET does, without the body and without doing anything. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import type { Database } from "#lib/database.ts"
import { openPageFiles } from "#faces/web/page-files.ts"
import { openUsual } from "../kit/database/engines.ts"
import { openTestServer, secretOf, type TestServer } from "../kit/fleet/web-server.ts"
import { lastingFolder } from "../kit/tmp.ts"

const folder = lastingFolder()
let database: Database
let server: TestServer

beforeAll(async () => {
  database = await openUsual({ join: (name = "") => join(folder, name) })
  server = await openTestServer(database, { page: openPageFiles(), limits: { streamsOfOne: 1 } })
}, 300_000)

afterAll(async () => {
  await server.close()
  await database.close()
})

const asAdmin = { authorization: `Bearer ${secretOf("admin")}` }
const told = ["content-type", "cache-control", "etag", "content-security-policy", "content-disposition"]

async function answered(method: string, path: string, headers: Record<string, string>): Promise<unknown> {
  const gone = new AbortController()
  const response = await fetch(`${server.url}${path}`, { method, headers, signal: gone.signal })
  if (method === "HEAD") expect([path, await response.text()]).toEqual([path, ""])
  else gone.abort()
  return [path, response.status, ...told.map((name) => response.headers.get(name))]
}

test("what anybody may get", async () => {
  for (const path of ["/", "/healthz", "/readyz", "/api/health", "/manifest.webmanifest", "/icon-192.png"]) {
    expect(await answered("HEAD", path, {})).toEqual(await answered("GET", path, {}))
    expect(await answered("HEAD", path, {})).toMatchObject({ 1: 200 })
  }
})

test("what needs a token, and a stream, which takes nobody's place", async () => {
  for (const path of [
    "/api/me",
    "/api/sessions",
    "/api/openapi.json",
    "/api/audit/file?format=csv",
    "/api/changes",
    "/api/sessions/gone",
    "/nowhere",
  ]) {
    expect(await answered("HEAD", path, asAdmin)).toEqual(await answered("GET", path, asAdmin))
    expect(await answered("HEAD", path, {})).toMatchObject({ 1: 401 })
  }
})

test("nothing is done: a link still signs in, and no export is in the audit", async () => {
  const link = server.signInLink()
  expect((await fetch(link, { method: "HEAD", redirect: "manual" })).status).toBe(401)
  expect((await fetch(link, { redirect: "manual" })).headers.get("set-cookie")).not.toBeNull()
  const exports = (await server.store.audit(0, 1000)).filter(({ what }) => what.startsWith("audit exported"))
  expect(exports).toHaveLength(1)
})
