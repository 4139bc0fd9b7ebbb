/** The audit said that a sign-in had failed, and from where, and not why. */

import { expect, test } from "bun:test"
import { openUsual } from "../kit/database/engines.ts"
import { openTestServer } from "../kit/fleet/web-server.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test("the audit says of a failed sign-in what whoever tried was told, and not what they sent", async () => {
  using folder = temporaryFolder()
  const database = await openUsual({ join: (name = "") => folder.join(name) })
  const server = await openTestServer(database)
  const secret = "a-token-that-nobody-has"
  const headers = { origin: server.url, "content-type": "application/json" }
  await fetch(`${server.url}/api/sign-in`, { method: "POST", headers, body: JSON.stringify({ token: secret }) })
  await fetch(`${server.url}/sign-in?code=${secret}`)
  const entries = await server.store.audit(0, 100)
  const failed = entries.filter(({ what }) => what === "sign-in failed")
  expect(failed.map(({ details }) => details?.reason)).toEqual([
    "This token is not valid.",
    expect.stringContaining("This link was used before, or it is older than 10 minutes."),
  ])
  expect(JSON.stringify(failed)).not.toContain(secret)
  await server.close()
  await database.close()
})
