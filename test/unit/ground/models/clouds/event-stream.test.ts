/** Amazon's event stream, cut and damaged in every way: the same events, or a stream that breaks. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { bedrockFramings, framesIn } from "#ground/models/clouds/event-stream.ts"
import type { RawEvent } from "#ground/models/server-sent-events.ts"
import { frame } from "#sim/clouds/frames.ts"

interface Read {
  readonly events: readonly RawEvent[]
  readonly end: "end" | "damaged"
}

async function read(pieces: readonly Uint8Array[]): Promise<Read> {
  const frames = framesIn(
    new ReadableStream({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece)
        controller.close()
      },
    }),
  )
  const events: RawEvent[] = []
  try {
    for (;;) {
      const next = await frames.next()
      if (next.done) return { events, end: "end" }
      expect(next.value.length).toBeGreaterThan(0)
      events.push(...next.value)
    }
  } catch (error) {
    expect(String(error)).toBe("Error: a part of the stream is damaged")
    return { events, end: "damaged" }
  }
}

const chunk = (data: string): string =>
  frame(
    { ":event-type": "chunk", ":content-type": "application/json", ":message-type": "event" },
    JSON.stringify({ bytes: Buffer.from(data).toString("base64"), p: "abc" }),
  )
const bytesOf = (...frames: readonly string[]): Uint8Array => Buffer.from(frames.join(""), "latin1")
const saying = (data: string): RawEvent => ({ event: null, data })

test("the frames of AWS's own examples are read, and one that is empty says nothing", async () => {
  const empty = Uint8Array.fromHex("000000100000000005c248eb7d98c8ff")
  expect(await read([empty])).toEqual({ events: [], end: "end" })
  expect(Buffer.from(frame({}, ""), "latin1").toString("hex")).toBe("000000100000000005c248eb7d98c8ff")
  const withText = Uint8Array.fromHex(
    "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1",
  )
  expect(await read([withText])).toEqual({ events: [], end: "end" })
  expect(await read([withText.with(50, 7)])).toEqual({ events: [], end: "damaged" })
})

test("a chunk may be written in any way that JSON allows", async () => {
  const headers = { ":event-type": "chunk", ":message-type": "event" }
  const data = "ÿ".repeat(5_000)
  const base64 = Buffer.from(data).toString("base64")
  const payloads = [
    `{"bytes":"${base64}"}`,
    `{ "p": "abc", "bytes" : "${base64}" }`,
    `{"bytes":"${base64.replaceAll("/", "\\/")}"}`,
    `{"bytes":"${base64.replace(/^./, (first) => `\\u00${first.charCodeAt(0).toString(16)}`)}","p":"x"}`,
  ]
  expect(new Set(payloads).size).toBe(payloads.length)
  for (const payload of payloads)
    expect(await read([bytesOf(frame(headers, payload))])).toEqual({ events: [saying(data)], end: "end" })
})

test("headers of every type are passed over", async () => {
  const headers = Buffer.concat([
    ...[0, 1].map((type) => Buffer.from([1, 97, type])),
    ...[1, 2, 4, 8].map((size, at) => Buffer.from([1, 98, at + 2, ...Array<number>(size).fill(9)])),
    Buffer.from([1, 99, 6, 0, 3, 1, 2, 3]),
    ...[8, 16].map((size, at) => Buffer.from([1, 100, at + 8, ...Array<number>(size).fill(9)])),
  ])
  const plain = Buffer.from(chunk("hi"), "latin1")
  const inner = plain.subarray(12, -4)
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32BE(plain.length + headers.length)
  lengths.writeUInt32BE(plain.readUInt32BE(4) + headers.length, 4)
  const checksum = (bytes: Buffer): Buffer => {
    const sum = Buffer.alloc(4)
    sum.writeUInt32BE(Bun.hash.crc32(bytes))
    return sum
  }
  const before = Buffer.concat([lengths, checksum(lengths), headers, inner])
  expect(await read([Buffer.concat([before, checksum(before)])])).toEqual({ events: [saying("hi")], end: "end" })
})

test.each([
  ["throttlingException", { message: "Too many tokens" }, "rate_limit_error", "Too many tokens"],
  ["internalServerException", { message: "x" }, "api_error", "x"],
  ["validationException", { message: "bad" }, "invalid_request_error", "bad"],
  ["modelTimeoutException", {}, "timeout_error", "modelTimeoutException"],
  ["serviceUnavailableException", { message: "busy" }, "overloaded_error", "busy"],
  ["modelStreamErrorException", { originalStatusCode: 500, originalMessage: "lost" }, "api_error", "lost"],
  ["somethingNew", { message: "?" }, "api_error", "?"],
] as const)("%s is an error of the Messages API", async (name, payload, type, message) => {
  const headers = { ":exception-type": name, ":content-type": "application/json", ":message-type": "exception" }
  const { events } = await read([bytesOf(chunk("a"), frame(headers, JSON.stringify(payload)))])
  expect(events).toEqual([
    saying("a"),
    { event: "error", data: JSON.stringify({ type: "error", error: { type, message } }) },
  ])
})

test("errors without a type, and events that are not about the answer", async () => {
  const error = frame({ ":message-type": "error", ":error-code": "500", ":error-message": "Broken" }, "")
  const other = frame({ ":message-type": "event", ":event-type": "initial-response" }, "{}")
  const { events, end } = await read([bytesOf(other, error)])
  expect(end).toBe("end")
  expect(events.map(({ event, data }) => [event, JSON.parse(data) as unknown])).toEqual([
    ["error", { type: "error", error: { type: "api_error", message: "Broken" } }],
  ])
  expect(await read([bytesOf(frame({ ":message-type": "event", ":event-type": "chunk" }, "{}"))])).toEqual({
    events: [],
    end: "damaged",
  })
})

const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 40 }), { minLength: 1, maxLength: 6 })

test("cut anywhere, it is the same", async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.array(fc.nat(2_000), { maxLength: 12 }), async (said, cuts) => {
      const bytes = bytesOf(...said.map(chunk))
      const places = [0, ...cuts.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
      const pieces = places.slice(1).map((to, index) => bytes.slice(places[index], to))
      expect(await read(pieces)).toEqual({ events: said.map(saying), end: "end" })
    }),
    { numRuns: 300 },
  )
})

test("with any byte changed, what was read before it is right, and nothing comes after it", async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(50), async (said, at, change, size) => {
      const bytes = Buffer.from(bytesOf(...said.map(chunk)))
      const place = at % bytes.length
      bytes[place] = (bytes[place] ?? 0) ^ change
      const pieces = Array.from({ length: Math.ceil(bytes.length / (size + 1)) }, (_, index) =>
        bytes.subarray(index * (size + 1), (index + 1) * (size + 1)),
      )
      const { events, end } = await read(pieces)
      expect(end).toBe("damaged")
      expect(events).toEqual(said.slice(0, events.length).map(saying))
      expect(events.length).toBeLessThan(said.length)
    }),
    { numRuns: 500 },
  )
})

test("without its end, it ends early", async () => {
  const bytes = bytesOf(chunk("one"), chunk("two"))
  for (let length = 0; length < bytes.length; length++) {
    const { events, end } = await read([bytes.slice(0, length)])
    expect(end).toBe("end")
    expect(events).toEqual(length < bytes.length / 2 ? [] : [saying("one")])
  }
})

test("a gateway may answer with server-sent events", () => {
  expect(bedrockFramings.map(({ type }) => type)).toEqual(["application/vnd.amazon.eventstream", "text/event-stream"])
})
