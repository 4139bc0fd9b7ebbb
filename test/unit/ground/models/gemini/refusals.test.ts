/** What Google's refusals come to: the same failures and waits as those of other providers. */

import { expect, test } from "bun:test"
import type { ModelEvent } from "#agent/words/model.ts"
import { openModels } from "#ground/models/router.ts"
import { seededIds } from "#lib/ids.ts"
import type { JsonObject } from "#lib/json.ts"
import { wireFormats } from "../../../../kit/wire-formats.ts"
import { fakeClock } from "../fake-clock.ts"
import { requestOf } from "../port.ts"
import { rawServer, type Reply } from "../raw-server.ts"

const { model, provider } = wireFormats.gemini

function refuses(code: number, status: string, message: string, details: readonly JsonObject[] = []): Reply {
  return async (line) => {
    const body = JSON.stringify({ error: { code, message, status, details } })
    await line.send(
      `HTTP/1.1 ${code} x\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  }
}

const detail = (kind: string, more: JsonObject): JsonObject => ({
  "@type": `type.googleapis.com/google.rpc.${kind}`,
  ...more,
})

async function heard(...replies: readonly Reply[]): Promise<{ events: ModelEvent[]; asked: number }> {
  await using server = await rawServer(...replies)
  const models = openModels([provider(server.url)], { clock: fakeClock(), ids: seededIds(7), policy: { attempts: 2 } })
  const events = await Array.fromAsync(models.stream(requestOf({ model }), new AbortController().signal))
  models.close()
  expect(server.seen[0]?.headers.get("x-goog-api-key")).toBe("test")
  expect(server.seen[0]?.headers.get("authorization")).toBeNull()
  return { events, asked: server.seen.length }
}

test.each([
  ["an invalid key", 400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", "unauthorized"],
  ["no key", 401, "UNAUTHENTICATED", "Request is missing required authentication credential.", "unauthorized"],
  ["another's model", 403, "PERMISSION_DENIED", "You do not have permission.", "rejected"],
  ["an unknown model", 404, "NOT_FOUND", "models/x is not found for API version v1beta.", "rejected"],
  [
    "a long prompt",
    400,
    "INVALID_ARGUMENT",
    "The input token count (2) exceeds the maximum number of tokens allowed (1).",
    "too_long",
  ],
  ["a large body", 400, "INVALID_ARGUMENT", "Request payload size exceeds the limit: 20971520 bytes.", "too_large"],
  [
    "turns out of order",
    400,
    "INVALID_ARGUMENT",
    "Please ensure that function call turn comes immediately after a user turn.",
    "malformed",
  ],
  [
    "a lost signature",
    400,
    "INVALID_ARGUMENT",
    "Function call is missing a thought_signature in functionCall parts.",
    "malformed",
  ],
  ["a setting", 400, "INVALID_ARGUMENT", "Thinking level MINIMAL is not supported for this model.", "rejected"],
] as const)("%s is not tried again", async (what, code, status, message, kind) => {
  const details = what === "an invalid key" ? [detail("ErrorInfo", { reason: "API_KEY_INVALID" })] : []
  const { events, asked } = await heard(refuses(code, status, message, details))
  expect(events).toMatchObject([{ type: "error", failure: { kind, status: code } }])
  expect(asked).toBe(1)
})

test("a rejected key is said in our words, not twice", async () => {
  const invalid = [detail("ErrorInfo", { reason: "API_KEY_INVALID" })]
  const { events } = await heard(
    refuses(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", invalid),
  )
  expect(events).toMatchObject([{ failure: { message: "The key was rejected (400). Set another one." } }])
})

test.each([
  [429, "RESOURCE_EXHAUSTED", "rate_limited"],
  [503, "UNAVAILABLE", "overloaded"],
  [500, "INTERNAL", "server"],
  [504, "DEADLINE_EXCEEDED", "server"],
] as const)("%d %s is tried again, after the wait that it asks for", async (code, status, kind) => {
  const wait = [detail("RetryInfo", { retryDelay: "34.5s" })]
  const { events, asked } = await heard(refuses(code, status, "Not now.", wait))
  expect(events[0]).toMatchObject({ type: "retry", retry: { delayMs: 34_500, failure: { kind, status: code } } })
  expect(asked).toBe(2)
})

test("a quota for the day, and a wait of more than a minute, end it at once", async () => {
  const daily = [
    detail("QuotaFailure", { violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }] }),
    detail("RetryInfo", { retryDelay: "12s" }),
  ]
  for (const details of [daily, [detail("RetryInfo", { retryDelay: "3600s" })]]) {
    const { events, asked } = await heard(refuses(429, "RESOURCE_EXHAUSTED", "You exceeded your quota.", details))
    expect(events).toMatchObject([{ type: "error", failure: { kind: "rate_limited" } }])
    expect(asked).toBe(1)
  }
})

test("a refusal in a list is read as well", async () => {
  const body = JSON.stringify([{ error: { code: 503, message: "Busy.", status: "UNAVAILABLE" } }])
  const { events } = await heard(async (line) => {
    await line.send(`HTTP/1.1 503 x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  })
  expect(events.at(-1)).toMatchObject({ failure: { kind: "overloaded", message: "Google is overloaded (503). Busy." } })
})
