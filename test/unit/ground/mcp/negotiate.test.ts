/** Which revision is spoken, by what a server answers when it is asked: the newest, an older one, or none. */

import { expect, test } from "bun:test"
import type { Transport } from "@modelcontextprotocol/client"
import { revisionOf } from "#ground/mcp/negotiate.ts"
import { openHandClock } from "../../../kit/hand-clock.ts"

type Said = { readonly result?: object; readonly error?: object; readonly throws?: object; readonly closes?: true }

async function asked(first: Said | undefined, more: { readonly abort?: true; readonly then?: Said } = {}) {
  const clock = openHandClock()
  const stop = new AbortController()
  let said = first
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    async send(message) {
      const id = "id" in message ? message.id : undefined
      if (more.abort) stop.abort()
      if (said?.throws) throw Object.assign(new Error("It failed."), said.throws)
      if (said?.closes) transport.onclose?.()
      else if (said) {
        const reply = { jsonrpc: "2.0", id, ...said }
        said = more.then ?? said
        transport.onmessage?.(reply as never)
      }
    },
  }
  const clientInfo = { name: "test", version: "1" }
  const came = revisionOf({ transport, clock, clientInfo, capabilities: {}, silenceMs: 10_000 }, stop.signal)
  await clock.pass(20_000)
  const { ok, ...rest } = await came
  return ok && "value" in rest ? rest.value.kind : "failure" in rest ? rest.failure : undefined
}

const discovered = (...supportedVersions: readonly string[]) => ({
  result: { resultType: "complete", supportedVersions, capabilities: { tools: {} } },
})
const unsupported = (...supported: readonly string[]) => ({
  error: { code: -32_022, message: "Unsupported protocol version", data: { supported } },
})

test.each<[string, Said | undefined, unknown]>([
  ["the newest", discovered("2026-07-28"), "modern"],
  ["the newest and one to come", discovered("2027-01-01", "2026-07-28"), "modern"],
  ["only older ones", discovered("2025-11-25"), "legacy"],
  ["an unknown method", { error: { code: -32_601, message: "?" } }, "legacy"],
  ["an error of its own", { error: { code: -1, message: "not initialized" } }, "legacy"],
  ["an error that names older ones", unsupported("2025-11-25"), "legacy"],
  ["an error that names nothing", { error: { code: -32_022, message: "no" } }, "legacy"],
  ["something else as a result", { result: {} }, "legacy"],
  ["silence", undefined, "legacy"],
  ["400", { throws: { status: 400 } }, "legacy"],
  ["404", { throws: { status: 404 } }, "legacy"],
  ["500", { throws: { status: 500 } }, "legacy"],
  ["401", { throws: { status: 401 } }, expect.objectContaining({ kind: "needs_login" })],
  ["403", { throws: { status: 403 } }, expect.objectContaining({ kind: "refused" })],
  ["503", { throws: { status: 503 } }, expect.objectContaining({ kind: "closed" })],
  ["nobody there", { throws: { code: "ConnectionRefused" } }, expect.objectContaining({ kind: "closed" })],
  ["its end", { closes: true }, expect.objectContaining({ kind: "closed", mayBeOlder: true })],
  ["only one to come", discovered("2027-01-01"), { kind: "refused", message: expect.stringContaining("2027-01-01") }],
  ["an error with one to come", unsupported("2027-01-01"), expect.objectContaining({ kind: "refused" })],
])("%s", async (_, said, expected) => expect(await asked(said)).toEqual(expected as never))

test("a server that refuses the revision it names is asked once more", async () => {
  const refuses = unsupported("2026-07-28")
  expect(await asked(refuses, { then: discovered("2026-07-28") })).toBe("modern")
  expect(await asked(refuses)).toMatchObject({ kind: "refused" })
})

test("an interrupt ends the question", async () => {
  expect(await asked(undefined, { abort: true })).toMatchObject({ kind: "aborted" })
})
