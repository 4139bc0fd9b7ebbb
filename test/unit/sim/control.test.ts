import { expect, test } from "bun:test"
import type { JsonObject } from "#lib/json.ts"
import { hello, jsonOf, open, post } from "./open.ts"

const say = { replies: [{ content: "ok", times: "always" }] } as const
const order = (url: string, what: string, body: JsonObject | string): Promise<Response> =>
  fetch(`${url}/__sim/${what}`, { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) })

test("faults are ordered, seen as pending, and strike", async () => {
  await using sim = await open({ scenario: say })
  expect(await jsonOf(await order(sim.url, "faults", { fault: "overloaded", times: 2 }))).toEqual({
    added: { name: "overloaded", times: 2 },
  })
  const statuses: number[] = []
  statuses.push((await post(sim.url, hello)).status)
  expect(await jsonOf(await fetch(`${sim.url}/__sim/stats`))).toMatchObject({
    requests: 1,
    faults: 1,
    pendingFaults: [{ name: "overloaded", times: 1 }],
  })
  for (let i = 0; i < 2; i++) statuses.push((await post(sim.url, hello)).status)
  expect(statuses).toEqual([529, 529, 200])
})

test("a rate can be set, and reset ends it and forgets what was", async () => {
  await using sim = await open({ scenario: say })
  await order(sim.url, "rate", { rate: 1, seed: 4, faults: ["server_error"] })
  expect((await post(sim.url, hello)).status).toBe(500)
  expect(await jsonOf(await fetch(`${sim.url}/__sim/requests`))).toMatchObject({
    requests: [{ number: 1, fault: "server_error" }],
  })
  await order(sim.url, "reset", {})
  expect((await post(sim.url, hello)).status).toBe(200)
  expect(sim.stats()).toMatchObject({ requests: 1, faults: 0 })
})

test.each([
  ["faults", "{", /not valid JSON/],
  ["faults", "[]", /JSON object/],
  ["faults", { fault: "lightning" }, /fault: must be one of rate_limit/],
  ["faults", { fault: "overloaded", times: 0 }, /^times: /],
  ["faults", { fault: "overloaded", often: 1 }, /^often: /],
  ["rate", { rate: 2 }, /^rate: /],
  ["rate", { rate: 0.5, seed: "x" }, /^seed: /],
  ["rate", { rate: 0.5, faults: ["nothing"] }, /^faults: /],
] as const)("%s with %p is refused with a reason", async (what, body, reason) => {
  await using sim = await open({ scenario: say })
  const response = await order(sim.url, what, body)
  expect([response.status, await jsonOf(response)]).toEqual([400, { error: expect.stringMatching(reason) }])
})

test("what is not there is told what is, and strangers' names are turned away", async () => {
  await using sim = await open({ scenario: say })
  expect(await jsonOf(await order(sim.url, "explode", {}))).toMatchObject({
    error: expect.stringContaining("POST faults"),
  })
  const stranger = await fetch(`${sim.url}/__sim/requests`, { headers: { host: "evil.example" } })
  expect(stranger.status).toBe(403)
})
