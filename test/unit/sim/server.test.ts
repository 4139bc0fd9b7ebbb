import { connect } from "node:net"
import { expect, test } from "bun:test"
import { systemClock, type Clock } from "#lib/clock.ts"
import { seededIds } from "#lib/ids.ts"
import { openSimulator } from "#sim/server.ts"
import { eventsIn, hello, jsonOf, open, post } from "./open.ts"

const streaming = { ...hello, stream: true }

test("closing is immediate, with streams open and with kept connections", async () => {
  const slow = { content: "late", timing: { ttftMs: 3_600_000 } }
  await using sim = await open({
    scenario: { replies: [{ content: "hi" }, { content: "hi", fault: "ping_stall" }, slow] },
  })
  await (await post(sim.url, hello)).text()
  const stalled = await post(sim.url, streaming)
  await stalled.body?.getReader().read()
  const waiting = post(sim.url, streaming).catch(() => "broken off")
  while (sim.requests.length < 3) await Bun.sleep(2)
  await sim.close()
  expect(await waiting).toBe("broken off")
  expect(await post(sim.url, hello).catch(() => "nobody there")).toBe("nobody there")
})

test("a port in use is a failure that says so", async () => {
  await using sim = await open()
  expect(await openSimulator({ port: sim.port })).toEqual({
    ok: false,
    failure: { kind: "port_in_use", port: sim.port, message: expect.stringContaining(String(sim.port)) },
  })
})

test("the wire is that of the API, event by event", async () => {
  await using sim = await open({
    scenario: { replies: [{ content: ["two words", { tool: "Read", id: "toolu_1", input: { a: 1 } }] }] },
  })
  const response = await post(sim.url, streaming)
  expect(response.headers.get("content-type")).toStartWith("text/event-stream")
  expect(response.headers.get("request-id")).toStartWith("req_")
  const events = eventsIn(await response.text())
  expect(events.every(({ event, data }) => event === data.type)).toBe(true)
  expect(events.map(({ data }) => data)).toMatchObject([
    {
      type: "message_start",
      message: { type: "message", role: "assistant", content: [], stop_reason: null, usage: { output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "two" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: " words" } },
    { type: "content_block_stop", index: 0 },
    {
      type: "content_block_start",
      index: 1,
      content_block: { type: "tool_use", id: "toolu_1", name: "Read", input: {} },
    },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: `{"a":1}` } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 6 } },
    { type: "message_stop" },
  ])
})

test("timing spreads an answer over time, in order and whole", async () => {
  const waits: number[] = []
  let now = 0
  const clock: Clock = {
    ...systemClock,
    now: () => now,
    async sleep(ms) {
      if (ms > 0) waits.push(Math.round(ms))
      now += ms
      await Promise.resolve()
    },
  }
  await using sim = await open({
    clock,
    scenario: {
      replies: [
        {
          content: "aaaa bbb ccc ddd",
          timing: { ttftMs: 500, tokensPerSecond: 10, pauses: [{ afterTokens: 2, ms: 900 }] },
        },
      ],
    },
  })
  const events = eventsIn(await (await post(sim.url, streaming)).text())
  expect(waits).toEqual([500, 100, 1_000, 100, 100])
  expect(events.at(-1)?.event).toBe("message_stop")
})

test("many events come through whole, and quickly enough not to be waited for", async () => {
  const words = "word ".repeat(20_000).trim()
  await using sim = await open({ scenario: { replies: [{ content: words }] } })
  const events = eventsIn(await (await post(sim.url, streaming)).text())
  expect(events.filter(({ event }) => event === "content_block_delta")).toHaveLength(20_000)
})

test("requests are kept with what came of them, keys hidden; or not kept at all", async () => {
  await using sim = await open({
    scenario: { replies: [{ content: "a" }, { content: "b", timing: { ttftMs: 3_600_000 } }] },
  })
  await (await post(sim.url, hello)).text()
  const gone = new AbortController()
  const left = fetch(`${sim.url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": "secret", "anthropic-version": "1" },
    body: JSON.stringify(streaming),
    signal: gone.signal,
  }).catch(() => "left")
  while (sim.requests.length < 2) await Bun.sleep(2)
  gone.abort()
  await left
  while (sim.requests[1]?.outcome === "pending") await Bun.sleep(2)
  expect(sim.requests).toMatchObject([
    { number: 1, body: hello, answered: { kind: "reply", stopReason: "end_turn" }, outcome: "sent" },
    { number: 2, headers: { "x-api-key": "(hidden)" }, outcome: "client_left" },
  ])
  await using forgetful = await open({ scenario: { replies: [{ content: "a" }] }, keepRequests: "none" })
  await (await post(forgetful.url, hello)).text()
  expect([forgetful.requests, forgetful.stats().requests]).toEqual([[], 1])
})

test("with the same ids and clock, the same answer byte for byte", async () => {
  const bytes = async (): Promise<string> => {
    await using sim = await open({ ids: seededIds(3), scenario: { replies: [{ content: ["hi", { tool: "Read" }] }] } })
    return (await post(sim.url, streaming)).text()
  }
  expect(await bytes()).toBe(await bytes())
})

test("a request line that makes no sense does not bring it down", async () => {
  await using sim = await open()
  const answer = await new Promise<string>((resolve) => {
    const socket = connect(sim.port, "127.0.0.1", () => socket.write("GET // HTTP/1.1\r\nhost: a\r\n\r\n"))
    socket.on("data", (chunk) => {
      resolve(chunk.toString())
      socket.destroy()
    })
  })
  expect(answer).toMatch(/^HTTP\/1\.1 (404|500)/)
  expect((await post(sim.url, hello)).status).toBe(200)
})

test("without a scenario the demo answers and says what it is", async () => {
  await using sim = await open()
  const answer = JSON.stringify(await jsonOf(await post(sim.url, hello)))
  expect(answer).toContain("simulator")
  expect(answer).toContain("ANTHROPIC_API_KEY")
})
