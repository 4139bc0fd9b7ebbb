/** Lines between processes: whole ones in order, and whoever sends nonsense or reads nothing is cut off without harm to others. */

import { expect, test } from "bun:test"
import { statSync } from "node:fs"
import fc from "fast-check"
import { connectLocally, type LineSocket, listenLocally } from "#ground/workspace/processes/local-socket.ts"
import type { JsonObject } from "#lib/json.ts"
import { runs } from "../../../kit/runs.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

/** Sends back what it gets. */
function openEcho(path: string) {
  const heard: JsonObject[] = []
  let closed = Promise.withResolvers<void>()
  const listening = listenLocally(
    path,
    () => true,
    (socket) => ({
      onMessage(message) {
        heard.push(message)
        socket.send(message)
      },
      onClosed() {
        closed.resolve()
        closed = Promise.withResolvers()
      },
    }),
  )
  if (!listening.ok) throw new Error(listening.failure)
  return { heard, closed: () => closed.promise, stop: listening.value.stop }
}

async function connect(path: string, onMessage: (message: JsonObject) => void): Promise<LineSocket> {
  const connected = await connectLocally(path, () => ({ onMessage, onClosed() {} }))
  if (!connected.ok) throw new Error(connected.failure)
  return connected.value
}

test("messages of any size come back whole and in order, and the socket is the user's alone", async () => {
  using folder = temporaryFolder()
  const path = folder.join("own/socket")
  const echo = openEcho(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(folder.join("own")).mode & 0o777).toBe(0o700)
  const sizes = fc.array(fc.oneof(fc.nat({ max: 100 }), fc.nat({ max: 300_000 })), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(sizes, async (all) => {
      const came: unknown[] = []
      const done = Promise.withResolvers<void>()
      const socket = await connect(path, (message) => {
        came.push(message["text"])
        if (came.length === all.length) done.resolve()
      })
      const texts = all.map((size, at) => `${at}${"ü".repeat(size)}\n`)
      for (const text of texts) socket.send({ text })
      if (all.length > 0) await done.promise
      socket.close()
      expect(came).toEqual(texts)
    }),
    runs(10),
  )
  echo.stop()
})

test.each([
  ["nonsense", "nonsense\n"],
  ["a list", "[]\n"],
  ["half a line and the end", '{"a":'],
  ["a line without an end", "x".repeat(33_000_000)],
])("%s ends its connection, and others go on", async (_, bytes) => {
  using folder = temporaryFolder()
  const path = folder.join("socket")
  const echo = openEcho(path)
  const answered = Promise.withResolvers<JsonObject>()
  const other = await connect(path, answered.resolve)
  const closed = echo.closed()
  let left = Buffer.from(bytes)
  const write = (socket: { write: (part: Uint8Array) => number; end: () => unknown }): void => {
    while (left.length > 0) {
      const written = socket.write(left)
      if (written <= 0) return
      left = left.subarray(written)
    }
    if (bytes.startsWith("{")) socket.end()
  }
  await Bun.connect({ unix: path, socket: { open: write, drain: write, data() {}, close() {} } })
  await closed
  expect(echo.heard).toEqual([])
  other.send({ still: "here" })
  expect(await answered.promise).toEqual({ still: "here" })
  echo.stop()
})

test("a path that is too long for a socket is refused in words", () => {
  const long = `/tmp/${"x".repeat(120)}`
  const refused = listenLocally(
    long,
    () => true,
    () => ({ onMessage() {}, onClosed() {} }),
  )
  expect(refused).toEqual({ ok: false, failure: `The path ${long} is too long for a socket.` })
})
