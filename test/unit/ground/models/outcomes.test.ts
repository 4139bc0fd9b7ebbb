/** A refusal has the same outcome whichever provider says it, and in whichever words it says when to come back. */

import { expect, test } from "bun:test"
import { outcomeOf, outcomes } from "#ground/models/outcomes.ts"
import { openModels } from "#ground/models/router.ts"
import type { JsonValue } from "#lib/json.ts"
import { systemIds } from "#lib/ids.ts"
import { openConnectProxy } from "../../../kit/connect-proxy.ts"
import { directNetwork } from "../../../kit/direct-network.ts"
import { wireFormats } from "../../../kit/wire-formats.ts"
import { fakeClock } from "./fake-clock.ts"
import { failuresIn, requestOf } from "./port.ts"
import { rawServer, type Reply } from "./raw-server.ts"

const now = Date.parse("2026-11-15T10:00:00Z")

const answers =
  (status: number, body: JsonValue, headers: { readonly [name: string]: string } = {}): Reply =>
  async (line) => {
    await line.begin(`${status} Refused`, { "content-type": "application/json", ...headers })
    await line.chunk(JSON.stringify(body))
    await line.finish()
  }

/** As each of them writes it. */
const openai = (code: string | null, message = "no", type = "some_error"): JsonValue => ({
  error: { message, type, param: null, code },
})
const google = (status: string, message = "no", details: readonly JsonValue[] = []): JsonValue => ({
  error: { code: 400, message, status, details: [...details] },
})

const cases: readonly (readonly [status: number, body: JsonValue, kind: string, retried: boolean])[] = [
  [429, openai("insufficient_quota", "You exceeded your current quota"), "no_credit", false],
  [402, openai(null, "Insufficient Balance"), "no_credit", false],
  [400, { error: { type: "invalid_request_error", message: "Your credit balance is too low" } }, "no_credit", false],
  [429, openai("rate_limit_exceeded"), "rate_limited", true],
  [429, google("RESOURCE_EXHAUSTED"), "rate_limited", true],
  [400, { error: { type: "rate_limit_error", message: "slow down" } }, "rate_limited", true],
  [529, {}, "overloaded", true],
  [498, {}, "overloaded", true],
  [503, google("UNAVAILABLE", "The model is overloaded."), "overloaded", true],
  [503, openai(null, "That model is currently overloaded with other requests"), "overloaded", true],
  [503, openai(null, "down for maintenance"), "server", true],
  [500, [google("INTERNAL")], "server", true],
  [504, {}, "server", true],
  [401, openai("invalid_api_key"), "unauthorized", false],
  [400, google("INVALID_ARGUMENT", "API key not valid.", [{ reason: "API_KEY_INVALID" }]), "unauthorized", false],
  [400, openai("context_length_exceeded", "This is too much"), "too_long", false],
  [413, {}, "too_large", false],
  [404, openai("model_not_found"), "rejected", false],
  [403, google("PERMISSION_DENIED"), "rejected", false],
  [418, "a teapot", "rejected", false],
]

for (const format of Object.values(wireFormats))
  test.each(cases)(`${format.name}: %d %j is %s, tried again: %p`, async (status, body, kind, retried) => {
    await using server = await rawServer(answers(status, body))
    const clock = fakeClock("skips", now)
    const network = directNetwork()
    const models = openModels([format.provider(server.url)], {
      clock,
      ids: systemIds,
      network,
      policy: { attempts: 2 },
    })
    const events = await Array.fromAsync(
      models.stream(requestOf({ model: format.model }), new AbortController().signal),
    )
    expect(failuresIn(events)).toEqual(retried ? [`retry ${kind}`, kind] : [kind])
    expect(server.seen).toHaveLength(retried ? 2 : 1)
    models.close()
  })

test.each([
  [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "12ms" }, {}, 12],
  [{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "0m6.5s" }, {}, 6_500],
  [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now + 30_000) }, {}, 30_000],
  [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now / 1000 + 20) }, {}, 20_000],
  [{ "ratelimit-remaining": "0", "ratelimit-reset": "17" }, {}, 17_000],
  [{ "x-ms-retry-after-ms": "900" }, {}, 900],
  [
    {},
    google("RESOURCE_EXHAUSTED", "q", [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "37s" }]),
    37_000,
  ],
  [{}, openai("rate_limit_exceeded", "Limit reached. Please try again in 1m2s. Visit https://x.test"), 62_000],
  [{}, openai("rate_limit_exceeded", "Please try again in 850ms."), 850],
  [{ "retry-after": "3" }, openai("rate_limit_exceeded", "Please try again in 20s."), 3_000],
] as const)("when to come back, in headers %j and body %j", async (headers, body, wait) => {
  await using server = await rawServer(answers(429, body, headers))
  const clock = fakeClock("skips", now)
  const parts = { clock, ids: systemIds, network: directNetwork(), policy: { attempts: 2 } }
  const models = openModels([wireFormats.chat.provider(server.url)], parts)
  const events = await Array.fromAsync(
    models.stream(requestOf({ model: wireFormats.chat.model }), new AbortController().signal),
  )
  // Longer than a minute is not waited for.
  expect(clock.slept).toEqual(wait > 60_000 ? [] : [wait])
  if (wait > 60_000) expect(JSON.stringify(events)).toContain("It asks to wait until")
  models.close()
})

test("an overloaded provider is left alone for longer than one that failed, unless another model waits", async () => {
  const waits = async (status: number, hasFallback: boolean): Promise<readonly number[]> => {
    await using server = await rawServer(answers(status, {}))
    const clock = fakeClock("skips", now)
    const ids = { ...systemIds, random: () => 1 }
    const policy = { attempts: 3, hasFallback: () => hasFallback }
    const models = openModels([wireFormats.chat.provider(server.url)], { clock, ids, network: directNetwork(), policy })
    await Array.fromAsync(models.stream(requestOf({ model: wireFormats.chat.model }), new AbortController().signal))
    models.close()
    return clock.slept
  }
  expect(await waits(500, false)).toEqual([1_000, 2_000])
  expect(await waits(529, false)).toEqual([4_000, 8_000])
  expect(await waits(529, true)).toEqual([1_000, 2_000])
})

test("every status of a refusal is in the table, and no name is in two rows", () => {
  for (let status = 300; status < 600; status++)
    expect(outcomes).toContain(outcomeOf({ status, names: [], message: "" }))
  const names = outcomes.flatMap((outcome) => outcome.names)
  expect(names).toEqual([...new Set(names)])
})

test("what lasts until somebody changes a setting is not tried again", async () => {
  const ask = async (network: ReturnType<typeof directNetwork>, url: string): Promise<readonly string[]> => {
    const parts = { clock: fakeClock("skips", now), ids: systemIds, network, policy: { attempts: 3 } }
    const models = openModels([wireFormats.chat.provider(url)], parts)
    const signal = new AbortController().signal
    const events = await Array.fromAsync(models.stream(requestOf({ model: wireFormats.chat.model }), signal))
    models.close()
    return failuresIn(events)
  }
  const once = ["unreachable"]
  const again = ["retry unreachable", "retry unreachable", "unreachable"]
  await using company = await openConnectProxy({ password: "ann:right" })
  const through = (url: string) => directNetwork({ proxies: () => ({ http: { url, from: "HTTP_PROXY" }, except: [] }) })
  expect(await ask(through(company.url), "http://a.test")).toEqual(once)
  expect(await ask(through("socks5://a.test:1"), "http://a.test")).toEqual(once)
  expect(await ask(directNetwork({ offline: "Offline." }), "http://a.test")).toEqual(once)
  expect(await ask(through("http://127.0.0.1:1"), "http://a.test")).toEqual(again)
  expect(await ask(directNetwork(), "http://127.0.0.1:1")).toEqual(again)
})
