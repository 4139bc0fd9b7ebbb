/** A row of the audit was a name, "approved" and two ids. Now a day of it says who allowed which command, as shown and as run, and who came in. */

import { expect, test } from "bun:test"
import type { JsonObject } from "#lib/json.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openServed } from "../kit/fleet/served.ts"
import { bash, calls, says, write } from "../kit/script.ts"
import { until } from "../kit/until.ts"

test("the audit of a day answers who allowed which command, as shown and as run, without another table", async () => {
  const scenario: ScenarioFunction = ({ messages }) => {
    const results = JSON.stringify(messages).split('"tool_result"').length - 1
    if (results === 0) return calls(bash("echo plain >> plain.txt"))
    if (results === 1) return calls(bash("echo risky >> risky.txt"))
    if (results === 2) return calls(write("written.txt", "as the model wrote it\n"))
    return results === 3 ? calls(bash("echo never > never.txt")) : says("Done.")
  }
  await using server = await openServed(scenario, { database: "any" })
  const operator = await server.invite("operator")
  const headers = { origin: server.url, "content-type": "application/json" }
  const signIn = async (token: string): Promise<number> =>
    (await fetch(`${server.url}/api/sign-in`, { method: "POST", headers, body: JSON.stringify({ token }) })).status
  expect([await signIn(operator), await signIn("a-token-that-nobody-has")]).toEqual([204, 401])
  const created = await server.ask(operator, "POST", "/api/sessions", {
    prompt: "Do four things",
    title: "Four things",
    workspace: { path: server.work },
  })
  const id = String(created["id"])
  const answer = async (decision: JsonObject): Promise<void> => {
    for (;;) {
      const { approvals } = await server.ask(operator, "GET", "/api/approvals?state=open")
      const [open] = approvals as readonly JsonObject[]
      const path = `/api/sessions/${id}/approvals/${String(open?.["id"])}`
      if (open && (await server.ask(operator, "POST", path, { ...decision, digest: open["digest"] }))["status"] === 200)
        return
      await Bun.sleep(30)
    }
  }
  const safer = "echo safer >> risky.txt"
  await answer({ decision: "allow" })
  await answer({ decision: "allow", input: { command: safer } })
  await answer({ decision: "allow" })
  await answer({ decision: "deny", message: "Not that one." })
  await until(async () => (await server.ask(operator, "GET", `/api/sessions/${id}`))["stage"] === "completed")

  const file = async (format: string): Promise<string> =>
    (
      await fetch(`${server.url}/api/audit/file?format=${format}`, {
        headers: { authorization: `Bearer ${server.token}` },
      })
    ).text()
  const rows = (await file("jsonl"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject & { readonly details?: JsonObject })
  const told = rows
    .filter(({ sessionTitle }) => sessionTitle === "Four things")
    .map(({ who, what, details = {} }) => [who, what, details["command"] ?? details["files"] ?? null])
  const mine = "one-operator"
  expect(told).toEqual([
    [mine, "session created", null],
    [mine, "approved", "echo plain >> plain.txt"],
    [mine, "ran as shown", "echo plain >> plain.txt"],
    [mine, "approved; input edited", "echo risky >> risky.txt"],
    [mine, "ran as edited", safer],
    [mine, "approved", ["written.txt"]],
    [mine, "ran as shown", ["written.txt"]],
    [mine, "denied", "echo never > never.txt"],
  ])
  const ofEdited = rows.find(({ what }) => what === "approved; input edited")?.details
  const ofRun = rows.find(({ what }) => what === "ran as edited")?.details
  expect(ofEdited).toMatchObject({ before: { command: "echo risky >> risky.txt" }, after: { command: safer } })
  expect([ofEdited?.["digest"], ofEdited?.["shown"], ofEdited?.["allowed"]]).toEqual([
    ofRun?.["digest"],
    ofRun?.["shown"],
    ofRun?.["ran"],
  ])
  expect(ofEdited?.["shown"]).not.toBe(ofEdited?.["allowed"])
  const ofPlain = rows.find(({ what }) => what === "ran as shown")?.details
  expect(ofPlain?.["shown"]).toBe(ofPlain?.["ran"])
  expect(rows.find(({ what }) => what === "denied")?.details).toMatchObject({ message: "Not that one." })
  const entries = rows.flatMap(({ who, what, details }) =>
    details?.["address"] ? [[who, what, details["address"]]] : [],
  )
  expect(entries).toEqual([
    [mine, "signed in with a token", "127.0.0.1"],
    ["?", "sign-in failed", "127.0.0.1"],
  ])
  const table = await file("csv")
  for (const text of [`"${safer}"`, "Four things", "audit exported (jsonl)"])
    expect(table).toContain(text.replaceAll('"', ""))
}, 300_000)
