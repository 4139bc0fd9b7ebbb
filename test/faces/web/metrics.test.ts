/** What operators look at: whether the server lives, whether it can work, and figures for Prometheus. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import type { Database } from "#lib/database.ts"
import { openUsual } from "../../kit/database/engines.ts"
import { openTestServer, type TestServer, secretOf, waiting } from "../../kit/fleet/web-server.ts"
import { lastingFolder } from "../../kit/tmp.ts"

const folder = lastingFolder()
let database: Database
let server: TestServer

beforeAll(async () => {
  database = await openUsual({ join: (name = "") => join(folder, name) })
  server = await openTestServer(database, { page: async () => new Response("the page") })
}, 300_000)

afterAll(async () => {
  await server.close()
  await database.close()
})

const figures = async (): Promise<ReadonlyMap<string, number>> => {
  const answer = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${secretOf("viewer")}` } })
  expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"])
  const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  // The format: a name, labels, and one number.
  for (const line of lines) expect(line).toMatch(/^[a-z_]+(\{[a-z]+="[\w.+-]*"\})? -?[\d.e+-]+$/)
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]))
}

test("life and readiness are told under the usual names, to anybody", async () => {
  for (const path of ["/healthz", "/readyz", "/api/health", "/api/ready"])
    expect([path, (await fetch(`${server.url}${path}`)).status]).toEqual([path, 200])
})

test("figures need a token, and no page is shown instead", async () => {
  expect((await fetch(`${server.url}/metrics`)).status).toBe(401)
})

test("figures follow what happens, and hold nothing that a user wrote", async () => {
  const before = await figures()
  expect(before.get("codewright_database_up")).toBe(1)
  expect(before.get('codewright_sessions{stage="awaiting_tool_approval"}')).toBe(0)
  await waiting(server.store, "a-session")
  await Bun.sleep(1_100)
  const after = await figures()
  expect(after.get("codewright_approvals_open")).toBe((before.get("codewright_approvals_open") ?? 0) + 1)
  const count = (at: ReadonlyMap<string, number>): number => at.get('codewright_http_requests_total{status="2xx"}') ?? 0
  expect(count(after)).toBe(count(before) + 1)
  expect(after.get("codewright_http_request_duration_seconds_count")).toBeGreaterThan(0)
  expect(after.get("process_resident_memory_bytes")).toBeGreaterThan(1_000_000)
})
