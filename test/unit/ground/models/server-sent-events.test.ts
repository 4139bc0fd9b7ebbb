/** Our reader of server-sent events gives what the official client's gives, however a stream is cut into pieces. */

import { expect, test } from "bun:test"
import { Stream } from "@anthropic-ai/sdk/core/streaming"
import fc from "fast-check"
import { eventsIn, type RawEvent } from "#ground/models/server-sent-events.ts"

const streamOf = (pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })

async function read(pieces: readonly Uint8Array[]): Promise<readonly RawEvent[]> {
  const events: RawEvent[] = []
  for await (const some of eventsIn(streamOf(pieces))) {
    expect(some.length).toBeGreaterThan(0)
    events.push(...some)
  }
  return events
}

async function readByClient(pieces: readonly Uint8Array[]): Promise<readonly RawEvent[]> {
  const events: RawEvent[] = []
  for await (const { event, data } of Stream.rawEvents(new Response(streamOf(pieces)))) events.push({ event, data })
  return events
}

const utf8 = new TextEncoder()

test("names, data in several lines, comments, and what is not complete", async () => {
  const text =
    "\uFEFFevent: a\ndata: one\ndata:two\n\n: still here\n\nid: 7\nretry: 3\ndata\n\nevents: x\n\nevent: cut\ndata: off"
  expect(await read([utf8.encode(text)])).toEqual([
    { event: "a", data: "one\ntwo" },
    { event: null, data: "" },
  ])
})

/** An empty name is none. The client keeps one for the next event if its own had no data. */
const named = ({ event, data }: RawEvent): RawEvent => ({ event: event === "" ? null : event, data })

test("any text, cut anywhere", async () => {
  const word = fc.constantFrom(
    "data",
    "event",
    "id",
    "datas",
    ":",
    " ",
    "{}",
    "ü",
    "😀",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "x",
  )
  const cuts = fc.array(fc.nat(200), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(fc.array(word, { maxLength: 40 }), cuts, async (words, at) => {
      const bytes = utf8.encode(words.join(""))
      const places = [0, ...at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
      const pieces = places.slice(1).map((to, i) => bytes.slice(places[i], to))
      expect((await read(pieces)).map(named)).toEqual((await readByClient(pieces)).map(named))
    }),
    { numRuns: 300 },
  )
})
