import { expect, test } from "bun:test"
import fc from "fast-check"
import { boundedAnswer } from "#ground/mcp/bounded-answer.ts"
import { unhurried } from "#ground/mcp/fetches.ts"
import { openFloodGate } from "#ground/mcp/flood.ts"
import type { Clock } from "#lib/clock.ts"

const most = 64

/** What of a body is read before it fails, if it fails. */
async function readAll(chunks: readonly string[], type: string): Promise<string | "cut"> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
  const answer = boundedAnswer(new Response(body, { headers: { "content-type": type } }), most)
  return answer.text().catch(() => "cut")
}

const cutAt = (text: string, places: readonly number[]): readonly string[] => {
  const sorted = [0, ...places.map((place) => place % (text.length + 1)).toSorted((a, b) => a - b), text.length]
  return sorted.slice(1).map((end, at) => text.slice(sorted[at], end))
}

test("property: a stream of short events passes however long it is, and wherever it is parted", async () => {
  const event = fc.stringMatching(/^[a-z]{0,20}$/)
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 40 }),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.array(fc.nat(2_000), { maxLength: 60 }),
      async (events, line, places) => {
        const text = events.map((data) => `data: ${data}${line}${line}`).join("")
        // The bound is looked at chunk by chunk, so one chunk must not hold more than that.
        const chunks = cutAt(text, [...places, ...Array.from({ length: text.length / 20 }, (_, at) => at * 20)])
        expect(await readAll(chunks, "text/event-stream")).toBe(text)
      },
    ),
    { numRuns: 60 },
  )
})

test("one event, or one answer, that goes on past the bound is cut off", async () => {
  const long = Array.from({ length: 20 }, () => "data: more\n")
  expect(await readAll(long, "text/event-stream")).toBe("cut")
  expect(await readAll(["data: a\n\n", ...long], "text/event-stream; charset=utf-8")).toBe("cut")
  const short = Array.from({ length: 20 }, () => "a\n\n")
  expect(await readAll(short, "application/json")).toBe(short.join(""))
  expect(await readAll([...short, ...short], "application/json")).toBe("cut")
})

const openTime = (): Clock & { readonly pass: (ms: number) => void; readonly slept: number[] } => {
  let now = 0
  const slept: number[] = []
  return {
    now: () => now,
    sleep: async (ms) => void slept.push(ms),
    after: () => () => {},
    pass: (ms) => void (now += ms),
    slept,
  }
}

test("streams may be opened a few times at once, then less and less often; other requests never wait", async () => {
  const clock = openTime()
  const fetch = unhurried(async () => new Response(""), clock)
  const stream = { headers: { accept: "text/event-stream" } }
  for (let at = 0; at < 12; at++) await fetch("https://a.example", stream)
  expect(clock.slept).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  await fetch("https://a.example", { ...stream, method: "POST" })
  await fetch("https://a.example")
  expect(clock.slept).toHaveLength(8)
  // Who was quiet for a while is trusted again.
  clock.pass(200_000)
  await fetch("https://a.example", stream)
  expect(clock.slept).toHaveLength(8)
})

test("requests of a server pass up to a number in a time; answers and news always do", () => {
  const clock = openTime()
  const told: string[] = []
  const isWelcome = openFloodGate(clock, (why) => told.push(why))
  const request = { jsonrpc: "2.0", id: 1, method: "roots/list" }
  for (let round = 0; round < 5; round++) {
    for (let at = 0; at < 500; at++) expect(isWelcome(request)).toBe(true)
    clock.pass(10_001)
  }
  for (let at = 0; at < 5_000; at++) {
    expect(isWelcome({ jsonrpc: "2.0", method: "notifications/progress" })).toBe(true)
    expect(isWelcome({ jsonrpc: "2.0", id: 1, result: {} })).toBe(true)
  }
  expect(isWelcome({ ...request, id: "x".repeat(2_000) })).toBe(false)
  expect(told).toEqual([])
  for (let at = 0; at < 501; at++) isWelcome(request)
  for (let at = 0; at < 501; at++) expect(isWelcome(request)).toBe(false)
  expect(told).toEqual(["it asked us more than 500 things in 10 s"])
})
