/** What the provider's refusals come to: statuses, headers, keys. */

import { expect, test } from "bun:test"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok } from "#lib/result.ts"
import { fakeClock } from "./fake-clock.ts"
import { ask, failuresIn, openPort, requestOf, said, saidAgain } from "./port.ts"
import { rawServer, type Reply } from "./raw-server.ts"
import { refuses, saying, streams } from "./wire-events.ts"

const fine = streams(...saying("hi"))
const refusesWith =
  (status: number, error: JsonObject): Reply =>
  async (line) => {
    await line.begin(`${status} Refused`, { "content-type": "application/json" })
    await line.chunk(JSON.stringify({ error }))
    await line.finish()
  }

test.each([408, 409, 429, 500, 502, 503, 504, 529, 599])("%d is retried", async (status) => {
  await using server = await rawServer(refuses(status, "x", "not now"), fine)
  const events = await ask(openPort(server.url))
  expect(events[0]).toMatchObject({ type: "retry", retry: { attempt: 1, of: 10, failure: { status } } })
  expect(events.slice(1)).toEqual(said("hi"))
})

test.each([
  [400, "invalid_request_error", "messages: roles must alternate", "malformed"],
  [400, "invalid_request_error", "messages.3.content.0: image is broken", "malformed"],
  [400, "invalid_request_error", "`max_tokens` must be greater than `thinking.budget_tokens`", "rejected"],
  [400, "invalid_request_error", "Output blocked by content filtering policy", "rejected"],
  [404, "not_found_error", "no route for POST /v1/messages", "rejected"],
  [400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum", "too_long"],
  [
    400,
    "invalid_request_error",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "too_long",
  ],
  [401, "authentication_error", "expired since Monday", "unauthorized"],
  [402, "billing_error", "no credit", "no_credit"],
  [403, "permission_error", "not yours", "rejected"],
  [404, "not_found_error", "model: claude-nope", "rejected"],
  [413, "request_too_large", "Request exceeds the maximum size", "too_large"],
  [422, "x", "no", "rejected"],
] as const)("%d %s (%s) is not: it is %4$s", async (status, type, message, kind) => {
  await using server = await rawServer(refuses(status, type, message))
  expect(await ask(openPort(server.url))).toEqual([
    { type: "error", failure: { kind, status, message: expect.stringContaining(message) } },
  ])
  expect(server.seen).toHaveLength(1)
})

test.each([
  [{ type: "service_unavailable_error", code: "server_is_overloaded" }, 503, "overloaded"],
  [{ type: "insufficient_quota", code: "insufficient_quota" }, 429, "no_credit"],
  [{ type: "invalid_request_error", param: "input[3].content[0].image_url" }, 400, "malformed"],
  [{ type: "invalid_request_error", param: "tools[0].name" }, 400, "rejected"],
] as const)("a provider that has codes and names fields is understood by them: %j", async (error, status, kind) => {
  const message = "No."
  await using server = await rawServer(refusesWith(status, { ...error, message }))
  const [event] = await ask(openPort(server.url, { policy: { attempts: 1 } }))
  expect(event).toMatchObject({ type: "error", failure: { kind, status } })
})

test("credit that is used up is not waited for", async () => {
  const error = { type: "insufficient_quota", code: "insufficient_quota", message: "You exceeded your quota." }
  await using server = await rawServer(refusesWith(429, error))
  expect(await ask(openPort(server.url))).toMatchObject([{ type: "error", failure: { kind: "no_credit" } }])
  expect(server.seen).toHaveLength(1)
})

test("a rejected key is named, and how to change it; a status that says it all is not repeated in words", async () => {
  await using server = await rawServer(refuses(401, "authentication_error", "invalid x-api-key"))
  const keyWords = () => ({ which: "The key in key.json (…abcd)", advice: "/login to change it." })
  expect(await ask(openPort(server.url, { provider: { baseUrl: server.url, apiKey: "k", keyWords } }))).toEqual([
    {
      type: "error",
      failure: {
        kind: "unauthorized",
        status: 401,
        message: "The key in key.json (…abcd) was rejected (401). /login to change it.",
      },
    },
  ])
  await using busy = await rawServer(refuses(529, "overloaded_error", "Overloaded"))
  const [event] = await ask(openPort(busy.url, { policy: { attempts: 1 } }))
  expect(event).toMatchObject({ failure: { message: `${new URL(busy.url).host} is overloaded (529).` } })
})

test("a key that changes between two requests is sent as it is then", async () => {
  await using server = await rawServer(fine, fine)
  let key = "k1"
  const port = openPort(server.url, { provider: { baseUrl: server.url, apiKey: () => key } })
  await ask(port)
  key = "k2"
  await ask(port)
  expect(server.seen.map(({ headers }) => headers.get("x-api-key"))).toEqual(["k1", "k2"])
})

const at = (ms: number): string => Temporal.Instant.fromEpochMilliseconds(ms).toString()
const now = Date.parse("2026-11-15T10:00:00Z")

test.each([
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after": "0.25" }, 250],
  [{ "retry-after-ms": "120" }, 120],
  [{ "retry-after-ms": "120", "retry-after": "9" }, 120],
  [{ "retry-after": "Sun, 15 Nov 2026 10:00:30 GMT" }, 30_000],
  [{ "retry-after": "60" }, 60_000],
  [{ "anthropic-ratelimit-unified-reset": String(now / 1000 + 45) }, 45_000],
  [{ "anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2026-11-15T10:00:20Z" }, 20_000],
])("the wait asked for in %j is kept", async (headers, wait) => {
  await using server = await rawServer(refuses(429, "rate_limit_error", "slow down", headers), fine)
  const clock = fakeClock("skips", now)
  const events = await ask(openPort(server.url, { clock }))
  expect(clock.slept).toEqual([wait])
  expect(events[0]).toMatchObject({ type: "retry", retry: { delayMs: wait } })
})

test.each([
  { "retry-after": "soon" },
  { "retry-after": "-5" },
  { "retry-after": "0" },
  { "retry-after": "Sun, 15 Nov 2026 09:00:00 GMT" },
  { "retry-after-ms": "NaN" },
  { "anthropic-ratelimit-tokens-remaining": "12", "anthropic-ratelimit-tokens-reset": "2026-11-15T10:00:20Z" },
])("a wait that makes no sense (%j) leaves it to us", async (headers) => {
  await using server = await rawServer(refuses(429, "rate_limit_error", "slow down", headers), fine)
  const clock = fakeClock("skips", now)
  await ask(openPort(server.url, { clock }))
  expect(clock.slept[0]).toBeWithin(500, 1_001)
})

const clockTime = (time: number): string =>
  new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "long" }).format(time)

test.each([
  [{ "retry-after": "61" }, 61_000],
  [{ "retry-after": "Sun, 15 Nov 2026 12:00:00 GMT" }, 7_200_000],
  [{ "anthropic-ratelimit-unified-reset": String(now / 1000 + 18_000) }, 18_000_000],
])("a limit that lasts longer than a minute (%j) ends the request and says until when", async (headers, wait) => {
  await using server = await rawServer(refuses(429, "rate_limit_error", "used up", headers))
  const clock = fakeClock("skips", now)
  expect(await ask(openPort(server.url, { clock }))).toEqual([
    {
      type: "error",
      failure: {
        kind: "rate_limited",
        status: 429,
        message: `The rate limit of ${new URL(server.url).host} is reached (429). used up. It asks to wait until ${clockTime(now + wait)}.`,
      },
    },
  ])
  expect(clock.slept).toEqual([])
})

test("a server that is away for an hour is not waited for", async () => {
  await using server = await rawServer(refuses(503, "api_error", "maintenance", { "retry-after": "3600" }))
  expect(failuresIn(await ask(openPort(server.url)))).toEqual(["server"])
})

test("x-should-retry is obeyed both ways", async () => {
  await using no = await rawServer(refuses(500, "api_error", "never", { "x-should-retry": "false" }))
  expect(failuresIn(await ask(openPort(no.url)))).toEqual(["server"])
  await using yes = await rawServer(
    refuses(400, "invalid_request_error", "again please", { "x-should-retry": "true" }),
    fine,
  )
  expect(failuresIn(await ask(openPort(yes.url)))).toEqual(["retry rejected"])
})

test("waits double up to a minute, half of each left to chance, for ten attempts", async () => {
  await using server = await rawServer(refuses(500, "api_error", "still unwell"))
  for (const [random, share] of [
    [0, 0.5],
    [0.5, 0.75],
  ] as const) {
    const clock = fakeClock()
    const events = await ask(openPort(server.url, { clock, ids: { uuid: () => "x", random: () => random } }))
    const full = [1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000)
    expect(clock.slept).toEqual(full.map((ms) => ms * share))
    expect(events.map((event) => (event.type === "retry" ? event.retry.attempt : event.type))).toEqual([
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      9,
      "error",
    ])
  }
  expect(server.seen).toHaveLength(20)
})

test("overloaded three times in a row ends the request when another model can take over, and only then", async () => {
  const busy = refuses(529, "overloaded_error", "Overloaded")
  await using server = await rawServer(busy, busy, refuses(500, "api_error", "x"), busy, busy, busy, fine)
  const events = await ask(openPort(server.url, { policy: { hasFallback: (model) => model === "claude-test" } }))
  expect(failuresIn(events)).toEqual([
    "retry overloaded",
    "retry overloaded",
    "retry server",
    "retry overloaded",
    "retry overloaded",
    "overloaded",
  ])
  await using other = await rawServer(busy, busy, busy, fine)
  expect(failuresIn(await ask(openPort(other.url)))).toEqual([
    "retry overloaded",
    "retry overloaded",
    "retry overloaded",
  ])
})

test("a step that was cut off waits before it is made again, longer each time", async () => {
  await using server = await rawServer(fine)
  const clock = fakeClock()
  const port = openPort(server.url, { clock, ids: { uuid: () => "x", random: () => 0 } })
  for (const repeat of [1, 3]) {
    const events = await ask(port, { repeat })
    expect(events[0]).toEqual({
      type: "retry",
      retry: {
        attempt: repeat,
        of: 10,
        delayMs: 500 * 2 ** (repeat - 1),
        failure: { kind: "broken", message: expect.any(String) },
      },
    })
    expect(events.slice(1)).toEqual(repeat === 1 ? said("hi") : saidAgain("hi"))
  }
  expect(clock.slept).toEqual([500, 2_000])
})

test("a wait is announced before it begins, and can be interrupted", async () => {
  await using server = await rawServer(refuses(500, "api_error", "x"))
  const clock = fakeClock("waits")
  const controller = new AbortController()
  const stream = openPort(server.url, { clock }).stream(requestOf(), controller.signal)
  const events = stream[Symbol.asyncIterator]()
  expect((await events.next()).value).toMatchObject({ type: "retry", retry: { attempt: 1 } })
  expect(clock.slept).toEqual([])
  const next = events.next()
  controller.abort()
  expect((await next).value).toEqual({ type: "error", failure: { kind: "aborted", message: "Interrupted." } })
  expect((await events.next()).done).toBe(true)
  expect(server.seen).toHaveLength(1)
})

const helper = (
  ...keys: readonly string[]
): { readonly readKey: () => Promise<{ readonly ok: true; readonly value: string }>; readonly runs: () => number } => {
  let runs = 0
  return { readKey: async () => ok(`${keys[Math.min(runs++, keys.length - 1)]}\n`), runs: () => runs }
}

test("the key command runs once for five minutes of requests, and its key is sent both ways", async () => {
  await using server = await rawServer(fine)
  const clock = fakeClock()
  const { readKey, runs } = helper("k1", "k2")
  const port = openPort(server.url, { clock, provider: { readKey } })
  await Promise.all([ask(port), ask(port)])
  clock.advance(299_999)
  await ask(port)
  expect(runs()).toBe(1)
  clock.advance(1)
  await ask(port)
  expect(runs()).toBe(2)
  const keys = server.seen.map(({ headers }) => [headers.get("x-api-key"), headers.get("authorization")])
  expect(keys).toEqual([...Array.from({ length: 3 }, () => ["k1", "Bearer k1"]), ["k2", "Bearer k2"]])
})

test("a key that expired is read anew, once, without a wait", async () => {
  const denied = refuses(401, "authentication_error", "expired")
  await using server = await rawServer(denied, fine)
  const clock = fakeClock()
  const { readKey, runs } = helper("old", "new")
  expect(await ask(openPort(server.url, { clock, provider: { readKey } }))).toEqual(said("hi"))
  expect(server.seen.map(({ headers }) => headers.get("x-api-key"))).toEqual(["old", "new"])
  expect([runs(), clock.slept]).toEqual([2, []])

  await using never = await rawServer(denied)
  expect(failuresIn(await ask(openPort(never.url, { provider: { readKey } })))).toEqual(["unauthorized"])
  expect(never.seen).toHaveLength(2)
})

test("an attempt with a fresh key is not one more of the same: it does not count as a try", async () => {
  await using server = await rawServer(
    refuses(401, "authentication_error", "expired"),
    refuses(500, "api_error", "oops"),
    fine,
  )
  const { readKey } = helper("old", "new")
  const events = await ask(openPort(server.url, { provider: { readKey }, policy: { attempts: 2 } }))
  expect(events[0]).toMatchObject({ type: "retry", retry: { attempt: 1, of: 2, failure: { kind: "server" } } })
  expect(events.at(-1)).toEqual({ type: "message_stop" })
})

test.each([
  [async () => failed("exit code 1: no such profile"), "no such profile"],
  [async () => ok("  \n"), "printed nothing"],
  [() => Promise.reject(new Error("cannot run")), "cannot run"],
] as const)("a key command that fails is named, and nothing is sent", async (readKey, words) => {
  await using server = await rawServer(fine)
  expect(await ask(openPort(server.url, { provider: { readKey } }))).toEqual([
    { type: "error", failure: { kind: "unauthorized", message: expect.stringContaining(words) } },
  ])
  expect(server.seen).toEqual([])
})

test("a key that expired and cannot be read anew says both", async () => {
  await using server = await rawServer(refuses(401, "authentication_error", "expired"))
  let runs = 0
  const readKey = async () => (runs++ === 0 ? ok("old") : failed("the vault is sealed"))
  expect(await ask(openPort(server.url, { provider: { readKey } }))).toEqual([
    {
      type: "error",
      failure: { kind: "unauthorized", status: 401, message: expect.stringMatching(/expired.*the vault is sealed/) },
    },
  ])
})

test("a key command that hangs can be interrupted", async () => {
  const controller = new AbortController()
  const asked = ask(
    openPort("http://127.0.0.1:9", { provider: { readKey: () => new Promise(() => {}) } }),
    {},
    controller.signal,
  )
  await Bun.sleep(5)
  controller.abort()
  expect(failuresIn(await asked)).toEqual(["aborted"])
})

test("a token goes where tokens go", async () => {
  await using server = await rawServer(fine)
  await ask(openPort(server.url, { provider: { apiKey: "", authToken: "t" } }))
  expect(server.seen.map(({ headers }) => [headers.get("x-api-key"), headers.get("authorization")])).toEqual([
    [null, "Bearer t"],
  ])
})

test("times are told so that a person can read them", async () => {
  await using server = await rawServer(
    refuses(429, "rate_limit_error", "used up", { "retry-after": at(now + 3_600_000) }),
  )
  const [event] = await ask(openPort(server.url, { clock: fakeClock("skips", now) }))
  expect(event?.type === "error" && event.failure.message).toMatch(/used up\. It asks to wait until Nov 15, 2026/)
})
