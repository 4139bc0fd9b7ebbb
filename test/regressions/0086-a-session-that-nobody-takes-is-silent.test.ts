/** A session whose worker is gone and that no other can take said "executing" in a terminal: the reason was in the API alone. */

import { expect, test } from "bun:test"
import { openUsual } from "../kit/database/engines.ts"
import { session, worker } from "../kit/fleet/records.ts"
import { openTestServer, secretOf } from "../kit/fleet/web-server.ts"
import { openPlace, program } from "../kit/run-codewright.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test("the list of sessions and whoever follows one are told that nobody can take it, and why", async () => {
  using folder = temporaryFolder()
  using place = openPlace()
  const database = await openUsual(folder)
  const server = await openTestServer(database)
  await server.store.sessions.create(session("lost", { labels: ["arm"] }), "ann")
  const env = { HOME: place.home, PATH: process.env["PATH"] ?? "", CODEWRIGHT_TOKEN: secretOf("viewer") }
  const codewright = (...argv: readonly string[]) =>
    Bun.spawn([program, ...argv, "--server", server.url], { env, stdin: "pipe", stdout: "pipe", stderr: "inherit" })
  // The worker that had it was killed, and the one that lives has other labels.
  await server.store.leases.beat(worker("w_alive", { labels: ["x64"] }), [], 60_000)
  await server.store.leases.beat(worker("w_killed", { labels: ["arm"] }), [], 60_000)
  await server.store.leases.acquire("w_killed", 60_000)
  await database.rows("update fleet_sessions set lease_until = 0")
  await database.rows("update fleet_workers set seen_at = seen_at - 31000 where id = 'w_killed'")
  const reason =
    "Its worker on here was not heard of any more. No worker that runs has the labels arm. Start one: codewright worker --database … --labels arm"
  const listed = await codewright("sessions").stdout.text()
  expect(listed).toContain("no worker")
  expect(listed).toContain(reason)
  const following = codewright("--resume", "lost")
  let text = ""
  for await (const piece of following.stdout) {
    text += new TextDecoder().decode(piece)
    if (text.includes(reason)) break
  }
  following.kill()
  await following.exited
  // Once somebody can, there is nothing to say.
  await server.store.leases.beat(worker("w_arm", { labels: ["arm"] }), [], 60_000)
  expect(await codewright("sessions").stdout.text()).not.toContain("no worker")
  await server.close()
  await database.close()
}, 300_000)
