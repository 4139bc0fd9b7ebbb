/** A body of more than twice what is taken was refused by the runtime: with 413, but without the error object that the document promises. */

import { expect, test } from "bun:test"
import { openUsual } from "../kit/database/engines.ts"
import { openTestServer, refused, secretOf } from "../kit/fleet/web-server.ts"
import { temporaryFolder } from "../kit/tmp.ts"

test("whatever its size, and however it is sent, a body that is too large is answered with the error object", async () => {
  using folder = temporaryFolder()
  const database = await openUsual(folder)
  const server = await openTestServer(database)
  // A prompt may bring pictures, so a session takes more.
  for (const [path, most] of [
    ["/api/sessions", 20],
    ["/api/sign-in", 1],
  ] as const)
    for (const megabytes of [1.5 * most, 2.5 * most]) {
      const body = "x".repeat(megabytes * 1_000_000)
      const page = { origin: server.url, "content-type": "application/json" }
      const large = await server.ask("POST", path, { as: "operator", body, headers: page })
      expect([path, megabytes, large.status, large.body]).toEqual([path, megabytes, 413, refused("too_large")])
      const pieces = new ReadableStream({
        pull(controller) {
          for (let sent = 0; sent < body.length; sent += 500_000)
            controller.enqueue(Buffer.from(body.slice(sent, sent + 500_000)))
          controller.close()
        },
      })
      const streamed = await fetch(`${server.url}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${secretOf("operator")}`, ...page },
        body: pieces,
      })
      expect([streamed.status, (await streamed.json()) as unknown]).toEqual([413, refused("too_large")])
    }
  await server.close()
  await database.close()
}, 300_000)
