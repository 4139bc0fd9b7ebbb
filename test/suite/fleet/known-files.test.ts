/** A session of a server is opened again for each message: after a rewind it knows only the files that its conversation has read. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { openServed, type Served } from "../../kit/fleet/served.ts"
import { editsIn, knownFiles, obeys } from "../../kit/known-files.ts"
import { until } from "../../kit/until.ts"

test("an edit passes after a read, and no longer after a rewind to before it", async () => {
  await using server = await openServed(obeys, {
    database: "any",
    prepare({ work }) {
      for (const [name, text] of Object.entries(knownFiles)) writeFileSync(join(work, name), text)
    },
  })
  const { id } = await server.run(server.token, "hello", { mode: "acceptEdits" })
  const path = `/api/sessions/${String(id)}`
  const say = async (text: string): Promise<void> => {
    const before = server.simulator.requests.length
    expect(await server.ask(server.token, "POST", `${path}/messages`, { text })).toMatchObject({ status: 202 })
    // One with the call, one with its result.
    await until(() => server.simulator.requests.length >= before + 2)
    await until(async () => (await server.ask(server.token, "GET", path))["stage"] === "completed")
  }
  await say("read a.txt")
  await say("edit a.txt")
  const [, to] = await promptsOf(server, path)
  const back = { to, files: true, conversation: true }
  // The stage is of before until the worker has said otherwise.
  const rewound = await until(async () => {
    const answer = await server.ask(server.token, "POST", `${path}/rewind`, back)
    return answer["status"] !== 409 && answer
  })
  expect(rewound).toMatchObject({ status: 200 })
  await say("edit a.txt")
  expect(editsIn(server.simulator.requests)).toEqual({ passed: 1, refused: 1, unread: [] })
}, 240_000)

/** The session is at rest, so the last event is known. */
async function promptsOf(server: Served, path: string): Promise<readonly string[]> {
  const stop = new AbortController()
  const headers = { authorization: `Bearer ${server.token}` }
  const { body } = await fetch(`${server.url}${path}/events?after=0`, { headers, signal: stop.signal })
  let text = ""
  for await (const piece of body ?? []) {
    text += new TextDecoder().decode(piece)
    if (text.includes('"stage":"completed"')) break
  }
  stop.abort()
  return [...text.matchAll(/"type":"user"[^\n]*"promptId":"([^"]+)"/g)].map(([, prompt = ""]) => prompt)
}
