/** Whatever a server does, the port keeps its word: it never throws, says nothing twice, and says how it ended. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { ModelEvent } from "#agent/words/model.ts"
import type { JsonObject } from "#lib/json.ts"
import { fakeClock } from "./fake-clock.ts"
import { ask, openPort } from "./port.ts"
import { rawServer, type Line, type Reply } from "./raw-server.ts"
import { blockStart, blockStop, delta, messageDelta, ping, sse, start, stop } from "./wire-events.ts"

type Move = (line: Line) => unknown

const index = fc.nat({ max: 3 })
const anyEvent: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom("msg_1", "msg_2").map((id) => start(id)),
  fc.tuple(index, fc.constantFrom("text", "thinking", "redacted_thinking", "tool_use", "odd")).map(([at, type]) =>
    blockStart(at, {
      type,
      text: "",
      thinking: "",
      signature: "",
      data: "d",
      id: "toolu_1",
      name: "Read",
      input: {},
    }),
  ),
  fc
    .tuple(index, fc.constantFrom("text_delta", "thinking_delta", "signature_delta", "input_json_delta", "odd"))
    .map(([at, type]) => delta(at, { type, text: "t", thinking: "t", signature: "s", partial_json: "{}" })),
  index.map(blockStop),
  fc.constantFrom("end_turn", "tool_use", null).map((reason) => messageDelta(reason)),
  fc.constant(stop),
  fc.constant(ping),
  fc
    .constantFrom("overloaded_error", "invalid_request_error", "x")
    .map((type) => ({ type: "error", error: { type, message: "m" } })),
  fc.dictionary(
    fc.constantFrom("type", "index", "delta", "message", "content_block", "usage", "error"),
    fc.jsonValue().map((value) => value as never),
  ),
)
/** Mostly what a provider would say, so that the hostile parts come at every point of an answer. */
const answer = fc
  .array(fc.constantFrom("text", "tool_use"), { maxLength: 3 })
  .map((types) => [
    start(),
    ...types.flatMap((type, at) => [
      blockStart(at, { type, text: "", id: "toolu_1", name: "Read", input: {} }),
      delta(at, type === "text" ? { type: "text_delta", text: "t" } : { type: "input_json_delta", partial_json: "{}" }),
      blockStop(at),
    ]),
    messageDelta(),
    stop,
  ])
const spoiled = fc
  .tuple(answer, fc.array(fc.tuple(fc.nat({ max: 14 }), anyEvent), { maxLength: 2 }))
  .map(([events, extras]) => {
    const all: JsonObject[] = [...events]
    for (const [at, extra] of extras) all.splice(at, 0, extra)
    return all.map(sse).join("")
  })
const bytes = fc.oneof(
  { weight: 6, arbitrary: spoiled },
  { weight: 2, arbitrary: anyEvent.map(sse) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: fc.tuple(spoiled, fc.nat({ max: 900 })).map(([text, cut]) => text.slice(0, cut)) },
)
const ends = fc.constantFrom<Move>(
  (line) => line.finish(),
  (line) => line.close(),
  (line) => line.reset(),
  () => {},
)
const status = fc.oneof(
  { weight: 4, arbitrary: fc.constant("200 OK") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "204 No Content",
      "302 Found",
      "400 Bad",
      "401 No",
      "429 Slow",
      "500 Oh",
      "529 Busy",
      "999 What",
    ),
  },
)
const contentTypes = fc.constantFrom(
  "text/event-stream",
  "text/event-stream",
  "text/event-stream",
  "text/event-stream",
  "application/json",
  "text/html",
)
const chunked = fc
  .tuple(status, contentTypes, fc.array(bytes, { maxLength: 3 }), ends)
  .map(([code, contentType, parts, end]): Reply => async (line) => {
    await line.begin(code, { "content-type": contentType, "retry-after": "1", location: "http://127.0.0.1:1/" })
    for (const part of parts) if (part !== "") await line.chunk(part)
    await end(line)
  })
const raw = fc.tuple(fc.string({ unit: "binary" }), ends).map(([text, end]): Reply => async (line) => {
  await line.send(text)
  await end(line)
})
const reply = fc.oneof({ weight: 8, arbitrary: chunked }, { weight: 1, arbitrary: raw })

test("hostile servers", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { minLength: 1, maxLength: 3 }),
      fc.constantFrom("stream" as const, "stream" as const, "stream" as const, "whole" as const),
      async (replies, delivery) => {
        await using server = await rawServer(...replies)
        const clock = fakeClock()
        const port = openPort(server.url, { clock, policy: { attempts: 3 }, limits: { wholeMs: 60_000 } })
        const ticking = setInterval(() => clock.advance(20_000), 8)
        try {
          expectGrammar(await ask(port, { delivery }))
        } finally {
          clearInterval(ticking)
          port.close()
        }
      },
    ),
    { numRuns: 100 },
  )
})

function expectGrammar(events: readonly ModelEvent[]): void {
  const types = events.map(({ type }) => type)
  expect(["message_stop", "error"]).toContain(types.at(-1) ?? "")
  expect(types.filter((type) => type === "message_stop" || type === "error")).toHaveLength(1)
  expect(types.filter((type) => type === "message_start").length).toBeLessThanOrEqual(1)
  const begins = types.indexOf("message_start")
  if (begins >= 0) expect(types.slice(begins)).not.toContain("retry")

  const open = new Set<number>()
  const ids = new Set<string>()
  let blocks = 0
  for (const [at, event] of events.entries()) {
    switch (event.type) {
      case "block_start":
        expect(at).toBeGreaterThan(begins)
        expect(event.index).toBe(blocks++)
        open.add(event.index)
        if (event.block.type !== "tool_use") break
        expect(ids.has(event.block.id)).toBe(false)
        ids.add(event.block.id)
        break
      case "text_delta":
      case "thinking_delta":
      case "proof_delta":
      case "input_delta":
        expect(open.has(event.index)).toBe(true)
        break
      case "block_stop":
        expect(open.delete(event.index)).toBe(true)
        break
      case "message_stop":
        expect(open.size).toBe(0)
        expect(types).toContain("message_delta")
        break
      default:
    }
  }
}
