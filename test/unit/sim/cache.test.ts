import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Clock } from "#lib/clock.ts"
import { isObject, type JsonObject, type JsonValue } from "#lib/json.ts"
import { systemClock } from "#lib/clock.ts"
import { openPromptCache } from "#sim/cache.ts"
import { measure, tokensOf } from "#sim/measure.ts"
import { decodeRequest } from "#sim/request.ts"
import { hello, jsonOf, open, post } from "./open.ts"

const mark = { cache_control: { type: "ephemeral" } } as const
const text = (value: string, marked = false): JsonObject => ({ type: "text", text: value, ...(marked && mark) })
const long = (letter: string, tokens: number): string => letter.repeat(tokens * 4)

/** A clock whose time is set by hand; its waits are real. */
function handClock(): Clock & { pass: (ms: number) => void } {
  let now = 1_000_000
  return {
    ...systemClock,
    now: () => now,
    pass(ms) {
      now += ms
    },
  }
}

/** A conversation of so many rounds, marked as a client marks it: system and the last two user messages. */
function conversation(rounds: number, more: JsonObject = {}): JsonObject {
  const messages = Array.from({ length: rounds * 2 - 1 }, (_, index): JsonObject => {
    const isLate = index >= rounds * 2 - 3
    return index % 2 === 0
      ? { role: "user", content: [text(`question ${index} ${long("q", 200)}`, isLate)] }
      : { role: "assistant", content: [text(`answer ${index}`)] }
  })
  return { ...hello, system: [text(long("s", 2_000), true)], messages, ...more }
}

const usageOf = async (response: Response): Promise<JsonObject> => {
  const { usage } = await jsonOf(response)
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = isObject(usage) ? usage : {}
  return {
    input: input_tokens ?? null,
    read: cache_read_input_tokens ?? null,
    written: cache_creation_input_tokens ?? null,
  }
}

const say = { replies: [{ content: "ok", times: "always" }] } as const

test("a growing conversation reads what it wrote, and pays in full only for what is new", async () => {
  await using sim = await open({ scenario: say })
  const first = await usageOf(await post(sim.url, conversation(1)))
  const second = await usageOf(await post(sim.url, conversation(2)))
  const third = await usageOf(await post(sim.url, conversation(3)))
  expect(first).toMatchObject({ read: 0, input: 0 })
  expect(Number(first.written)).toBeGreaterThan(2_200)
  expect(second.read).toBe(first.written)
  expect(third.read).toBe(Number(second.read) + Number(second.written))
  expect(sim.stats()).toMatchObject({
    cacheReadTokens: Number(second.read) + Number(third.read),
    cacheWriteTokens: Number(first.written) + Number(second.written) + Number(third.written),
    cacheBreaks: [],
  })
})

test("what is short is not kept, and what is not marked is not either", async () => {
  await using sim = await open({ scenario: say })
  const short = { ...hello, messages: [{ role: "user", content: [text(long("a", 900), true)] }] }
  const unmarked = { ...hello, messages: [{ role: "user", content: [text(long("b", 3_000))] }] }
  for (const body of [short, short, unmarked, unmarked])
    expect(await usageOf(await post(sim.url, body))).toMatchObject({ read: 0, written: 0 })
})

test("what is kept is forgotten after five minutes, unless it is read meanwhile", async () => {
  const clock = handClock()
  await using sim = await open({ scenario: say, clock })
  const minute = 60_000
  const read = async (): Promise<boolean> => Number((await usageOf(await post(sim.url, conversation(1)))).read) > 0
  expect(await read()).toBe(false)
  clock.pass(4 * minute)
  expect(await read()).toBe(true)
  clock.pass(4 * minute)
  expect(await read()).toBe(true)
  clock.pass(5 * minute)
  expect(await read()).toBe(false)
})

test("an hour's mark lasts an hour and is counted apart", async () => {
  const clock = handClock()
  await using sim = await open({ scenario: say, clock })
  const body = {
    ...hello,
    messages: [
      { role: "user", content: [{ ...text(long("h", 2_000)), cache_control: { type: "ephemeral", ttl: "1h" } }] },
    ],
  }
  const { usage } = await jsonOf(await post(sim.url, body))
  expect(usage).toMatchObject({ cache_creation: { ephemeral_5m_input_tokens: 0 } })
  clock.pass(50 * 60_000)
  expect(Number((await usageOf(await post(sim.url, body))).read)).toBeGreaterThan(2_000)
})

const changes: readonly (readonly [what: string, change: JsonObject, found: JsonObject])[] = [
  ["the system prompt", { system: [text(long("t", 2_000), true)] }, { changed: "system" }],
  ["the tools", { tools: [{ name: "New", input_schema: { type: "object" } }] }, { changed: "tools" }],
  ["the model", { model: "claude-haiku-5-5" }, { changed: "model" }],
  ["thinking", { thinking: { type: "adaptive" } }, { changed: "parameters" }],
]

test.each(changes)("a change of %s is a break, with its place named", async (_, change, found) => {
  await using sim = await open({ scenario: say })
  await post(sim.url, conversation(1))
  await post(sim.url, conversation(2))
  await post(sim.url, conversation(3, change))
  expect(sim.stats().cacheBreaks).toMatchObject([{ request: 3, ...found }])
  expect(sim.stats().cacheBreaks[0]?.lostTokens).toBeGreaterThan(200)
})

test("a changed message is a break, the first one included when a call ties the conversation together", async () => {
  await using sim = await open({
    scenario: { replies: [{ content: [{ tool: "Read", id: "toolu_x" }] }, { content: "ok", times: "always" }] },
  })
  const asked = (opening: string, ...rest: JsonValue[]): JsonObject => ({
    ...hello,
    messages: [{ role: "user", content: opening }, ...rest],
  })
  const call: JsonObject = {
    role: "assistant",
    content: [{ type: "tool_use", id: "toolu_x", name: "Read", input: {} }],
  }
  const result = (content: string): JsonObject => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_x", content }],
  })
  await post(sim.url, asked("one"))
  await post(sim.url, asked("another", call, result("the file")))
  await post(
    sim.url,
    asked("another", call, result("shorter"), { role: "assistant", content: "so" }, { role: "user", content: "go" }),
  )
  expect(sim.stats().cacheBreaks).toMatchObject([
    { request: 2, changed: "message", message: 0 },
    { request: 3, changed: "message", message: 2 },
  ])
})

test("conversations side by side, fresh starts, repeats and going back are no breaks", async () => {
  await using sim = await open({ scenario: say })
  const other = { system: [text("elsewhere")] }
  await post(sim.url, conversation(1))
  await post(sim.url, conversation(1, other))
  await post(sim.url, conversation(2))
  await post(sim.url, conversation(2, other))
  await post(sim.url, conversation(3))
  await post(sim.url, conversation(3))
  await post(sim.url, conversation(2))
  expect(sim.stats().cacheBreaks).toEqual([])
})

test("switched off, every token is plain input and nothing is compared", async () => {
  await using sim = await open({ scenario: say, promptCache: "off" })
  await post(sim.url, conversation(1))
  expect(await usageOf(await post(sim.url, conversation(2, { model: "other" })))).toMatchObject({ read: 0, written: 0 })
  expect(sim.stats().cacheBreaks).toEqual([])
})

test("images count by picture, not by bytes, and count_tokens agrees with usage", async () => {
  await using sim = await open({ scenario: say })
  const data = Buffer.from([0xff, 0xd8, 0xff, ...new Uint8Array(299_997)]).toString("base64")
  const image = { type: "image", source: { type: "base64", media_type: "image/jpeg", data } }
  const body = { ...hello, messages: [{ role: "user", content: [image] }] }
  const counted = await jsonOf(
    await post(sim.url, { model: "sim", messages: body.messages }, undefined, "/v1/messages/count_tokens"),
  )
  expect(Number(counted.input_tokens)).toBeLessThan(2_000)
  expect((await usageOf(await post(sim.url, body))).input).toBe(Number(counted.input_tokens))
})

test("whatever is marked, the three numbers make up the whole", () => {
  const block = fc.record({ letter: fc.constantFrom("a", "b", "c"), size: fc.nat(3_000), marked: fc.boolean() })
  fc.assert(
    fc.property(
      fc.array(fc.array(block, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
      (requests) => {
        const cache = openPromptCache()
        for (const blocks of requests) {
          const content = blocks.map(({ letter, size, marked }) => text(letter.repeat(size + 1), marked))
          const segments = measure(decodeRequest({ ...hello, messages: [{ role: "user", content }] }))
          const { read, written, input } = cache.use(segments, 0)
          expect(read + written + input).toBe(tokensOf(segments))
          expect(Math.min(read, written, input)).toBeGreaterThanOrEqual(0)
          // Asked again at once, all that was written is read.
          expect(cache.use(segments, 1).read).toBe(read + written)
        }
      },
    ),
    { numRuns: 50 },
  )
})
