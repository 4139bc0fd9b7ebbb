/**
 * How much processor time does a streamed event take in each wire format, from the bytes of the socket to the event that
 * the loop gets, beside one of Messages? In one process, format after format, so that all have the same machine.
 */

import type { Request } from "#agent/words/model.ts"
import { openModels } from "#ground/models/router.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import type { Network } from "#lib/network.ts"
import { wireFormats } from "../test/kit/wire-formats.ts"
import { directNetwork } from "../test/kit/direct-network.ts"
import { median } from "./kit/figures.ts"
import { answer, type Row, rowOf } from "./kit/row.ts"
import {
  bedrockStream,
  chatStream,
  type FormatStream,
  geminiStream,
  messagesStream,
  responsesStream,
} from "./kit/streams.ts"

const events = 4000
const rounds = 40
const signal = new AbortController().signal
const streams = {
  messages: messagesStream(events),
  responses: responsesStream(events),
  chat: chatStream(events),
  gemini: geminiStream(events),
  bedrock: bedrockStream(events),
}
type Name = keyof typeof streams
const names = ["messages", "responses", "chat", "gemini", "bedrock"] as const satisfies readonly Name[]

/** `one`: an event a read, as a provider sends them. `burst`: 16 kB a read, where decoding is nearly all. */
type Way = "one" | "burst"

const rows: Row[] = []
for (const way of ["one", "burst"] satisfies Way[]) {
  const times = new Map<Name, number[]>(names.map((name) => [name, []]))
  const readers = names.map((name) => [name, readerOf(name, streams[name], way)] as const)
  for (let round = -3; round < rounds; round++)
    for (const [name, read] of readers) {
      const before = process.cpuUsage()
      await read()
      const { user, system } = process.cpuUsage(before)
      if (round >= 0) times.get(name)?.push((user + system) / events)
    }
  const of = (name: Name): readonly number[] => times.get(name) ?? []
  const best = (name: Name): string => Math.min(...of(name)).toFixed(2)
  for (const name of names.slice(1)) {
    // Of each round by itself: the machine is not the same from round to round.
    const ratio = median(of(name).map((time, round) => time / (of("messages")[round] ?? Number.NaN)))
    const perByte = (ratio * sizeOf("messages")) / sizeOf(name)
    rows.push(
      rowOf({
        what: `streamed event over ${wireFormats[name].name}, ${way === "one" ? "one a read" : "16 kB a read"}`,
        ours: ratio,
        unit: "times",
        floor: { name: "Messages", value: 1 },
        toReach: 1.2,
        note: `at best ${best(name)} µs to ${best("messages")} µs; per byte ${perByte.toFixed(2)} times`,
      }),
    )
  }
}
answer(...rows)

function sizeOf(name: Name): number {
  const { pieces } = streams[name]
  return Math.round(pieces.reduce((sum, { length }) => sum + length, 0) / pieces.length)
}

/** Asks once over a network that has the answer ready. */
function readerOf(name: Name, stream: FormatStream, way: Way): () => Promise<void> {
  const reads = way === "one" ? [...stream.start, ...stream.pieces, ...stream.end] : bursts(stream)
  const network: Network = { ...directNetwork(), fetch: () => Promise.resolve(answerOf(stream, reads)) }
  const { model, provider } = wireFormats[name]
  const models = openModels([provider("http://127.0.0.1:9")], { clock: systemClock, ids: systemIds, network })
  const request: Request = {
    model,
    system: [],
    tools: [{ name: "Read", description: "Reads a file", input_schema: { type: "object" } }],
    messages: [{ role: "user", content: [{ type: "text", text: "go on" }] }],
    maxTokens: 1000,
    thinking: { type: "off" },
    delivery: "stream",
    repeat: 0,
  }
  return async () => {
    let told = 0
    for await (const event of models.stream(request, signal)) {
      if (event.type === "text_delta") told++
      else if (event.type === "error") throw new Error(`${name}: ${JSON.stringify(event.failure)}`)
    }
    if (told < events * 0.9) throw new Error(`${name}: only ${told} pieces of text`)
  }
}

function answerOf({ contentType }: FormatStream, reads: readonly Uint8Array[]): Response {
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = reads[at++]
      if (next) controller.enqueue(next)
      else controller.close()
    },
  })
  return new Response(body, { headers: { "content-type": contentType } })
}

function bursts({ start, pieces, end }: FormatStream): Uint8Array[] {
  const all = Buffer.concat([...start, ...pieces, ...end])
  const size = 16 * 1024
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.subarray(i * size, (i + 1) * size))
}
