/** Every way a connection can misbehave, over real sockets. */

import { expect, test } from "bun:test"
import type { ModelEvent } from "#agent/words/model.ts"
import type { JsonObject } from "#lib/json.ts"
import { seededIds } from "#lib/ids.ts"
import { fakeClock } from "./fake-clock.ts"
import { ask, failuresIn, openPort, requestOf, said, saidAgain, until } from "./port.ts"
import { rawServer, type Line, type Reply } from "./raw-server.ts"
import {
  blockStart,
  blockStop,
  delta,
  messageDelta,
  ping,
  refuses,
  saying,
  sse,
  start,
  stop,
  streams,
  streamsThen,
  textBlock,
  toolBlock,
} from "./wire-events.ts"

const textBegun: readonly JsonObject[] = [
  start(),
  blockStart(0, { type: "text", text: "" }),
  delta(0, { type: "text_delta", text: "Hel" }),
]
const toolCalled: readonly JsonObject[] = [start(), ...toolBlock(0, "toolu_a", "Read", `{"path":`, `"x"}`)]
const fine = streams(...saying("hi"))

/** A reset throws away what the other side has not read yet, so it gets the time to. */
const resets = (line: Line): Promise<void> => Bun.sleep(100).then(line.reset)
const closes = (line: Line): void => line.close()
const half = (event: JsonObject): string => sse(event).slice(0, 40)

test("an answer streams, and its connection serves the next request", async () => {
  await using server = await rawServer(fine)
  const port = openPort(server.url)
  expect(await ask(port)).toEqual(said("hi"))
  expect(await ask(port)).toEqual(saidAgain("hi"))
  expect(server.seen.map(({ connection }) => connection)).toEqual([0, 0])
})

const beforeContent: { readonly [fault: string]: readonly [Reply, "unreachable" | "server"] } = {
  "a reset before headers": [resets, "unreachable"],
  "a close before headers": [closes, "unreachable"],
  "a reset after headers": [streamsThen([], resets), "unreachable"],
  "a reset mid-event": [streamsThen([], (line) => line.chunk(half(start())).then(line.reset)), "unreachable"],
  "a reset after the message began": [streamsThen([start(), ping], resets), "unreachable"],
  "an end without content": [streams(), "server"],
  "an end after the message began": [streams(start()), "server"],
  "a truncated event": [streamsThen([start()], (line) => line.chunk(half(stop)).then(line.finish)), "server"],
  "malformed JSON": [
    streamsThen([], (line) => line.chunk(`event: message_start\ndata: {"type":\n\n`).then(line.finish)),
    "server",
  ],
  "JSON that is no object": [
    streamsThen([], (line) => line.chunk("event: message_start\ndata: null\n\n").then(line.finish)),
    "server",
  ],
  "a message without an id": [streams({ type: "message_start", message: { model: "m" } }), "server"],
  "a block before the message": [streams(...textBlock(0, "x")), "server"],
  "an error event": [streams(start(), { type: "error", error: { type: "api_error", message: "oops" } }), "server"],
  "a web page": [
    (line) =>
      line
        .begin("200 OK", { "content-type": "text/html" })
        .then(() => line.chunk("<html>"))
        .then(line.finish),
    "server",
  ],
  "no content type": [
    (line) =>
      line
        .begin("200 OK", {})
        .then(() => line.chunk(sse(start())))
        .then(line.finish),
    "server",
  ],
  "bytes that are no HTTP": [(line) => line.send("SSH-2.0-OpenSSH\r\n\r\n").then(line.close), "unreachable"],
}
for (const [fault, [reply, kind]] of Object.entries(beforeContent))
  test(`${fault} is retried in place and leaves no trace`, async () => {
    await using server = await rawServer(reply, fine)
    const clock = fakeClock()
    const events = await ask(openPort(server.url, { clock }))
    expect(events).toEqual([
      {
        type: "retry",
        retry: {
          attempt: 1,
          of: 10,
          delayMs: expect.any(Number),
          failure: { kind, message: expect.any(String), ...(fault === "an error event" && { status: 500 }) },
        },
      },
      ...said("hi"),
    ])
    expect(clock.slept).toHaveLength(1)
    expect(clock.slept[0]).toBeWithin(500, 1_001)
    expect(server.seen[1]?.body).toBe(server.seen[0]?.body ?? "")
  })

const begunEvents = said("Hel").slice(0, 3)
const calledEvents = [
  ...said("").slice(0, 1),
  { type: "block_start", index: 0, block: { type: "tool_use", id: "toolu_a", name: "Read", input: {} } },
  { type: "input_delta", index: 0, json: `{"path":` },
  { type: "input_delta", index: 0, json: `"x"}` },
  { type: "block_stop", index: 0 },
]
const afterContent: { readonly [fault: string]: readonly [Reply, readonly unknown[]] } = {
  "a reset mid-text": [streamsThen(textBegun, resets), begunEvents],
  "a reset mid-event": [streamsThen(textBegun, (line) => line.chunk(half(stop)).then(() => resets(line))), begunEvents],
  "a reset after a tool call": [streamsThen(toolCalled, resets), calledEvents],
  "an end mid-text": [streams(...textBegun), begunEvents],
  "an end after a tool call": [streams(...toolCalled), calledEvents],
  "a truncated event": [streamsThen(textBegun, (line) => line.chunk(half(stop)).then(line.finish)), begunEvents],
  "malformed JSON": [
    streamsThen(textBegun, (line) => line.chunk("event: content_block_delta\ndata: {oops\n\n").then(line.finish)),
    begunEvents,
  ],
  "a piece without its text": [streams(...textBegun, delta(0, { type: "text_delta" })), begunEvents],
  "a piece of no block": [streams(...textBegun, delta(4, { type: "text_delta", text: "x" })), begunEvents],
  "a piece of another sort": [
    streams(...textBegun, delta(0, { type: "input_json_delta", partial_json: "{" })),
    begunEvents,
  ],
  "a block that begins twice": [streams(...textBegun, blockStart(0, { type: "text", text: "" })), begunEvents],
  "a second message": [streams(...textBegun, start("msg_2")), begunEvents],
  "a stop with a block open": [streams(...textBegun, stop), begunEvents],
  "a stop without a reason": [
    streams(start(), ...textBlock(0, "Hel"), stop),
    [...begunEvents, { type: "block_stop", index: 0 }],
  ],
}
for (const [fault, [reply, before]] of Object.entries(afterContent))
  test(`${fault} after content ends as broken, so that the step can be orphaned`, async () => {
    await using server = await rawServer(reply, fine)
    const events = await ask(openPort(server.url))
    expect(events).toEqual([
      ...before,
      { type: "error", failure: { kind: "broken", message: expect.any(String) } },
    ] as never)
    expect(server.seen).toHaveLength(1)
  })

test.each([
  ["overloaded_error", "overloaded", 529],
  ["rate_limit_error", "rate_limited", 429],
  ["api_error", "server", 500],
  ["timeout_error", "server", 504],
  ["never_heard_of_it", "server", 500],
  ["invalid_request_error", "rejected", 400],
  ["authentication_error", "unauthorized", 401],
  ["request_too_large", "too_large", 413],
] as const)("the error event %s counts as the status it names", async (type, kind, status) => {
  const error = { type: "error", error: { type, message: "said so" } }
  const failure = { kind, status, message: expect.stringContaining("said so") }
  const passing = status === 429 || status >= 500
  await using server = await rawServer(streams(start(), error), fine)
  const early = await ask(openPort(server.url))
  expect(early[0]).toMatchObject(passing ? { type: "retry", retry: { failure } } : { type: "error", failure })
  expect(early.slice(1)).toEqual(passing ? said("hi") : [])

  await using late = await rawServer(streams(...textBegun, error))
  expect(await ask(openPort(late.url))).toEqual([...begunEvents, { type: "error", failure }] as never)
})

test("unknown events, pieces and blocks are ignored, and leave no gap in the numbering", async () => {
  await using server = await rawServer(
    streamsThen([start(), { type: "news", text: "?" }], async (line) => {
      await line.chunk(": a comment\n\nevent: odd\ndata: not json at all\n\n")
      const events = [
        blockStart(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
        delta(0, { type: "input_json_delta", partial_json: "{}" }),
        blockStop(0),
        blockStart(1, { type: "text", text: "" }),
        delta(1, { type: "citations_delta", citation: {} }),
        delta(1, { type: "text_delta", text: "hi" }),
        ping,
        blockStop(1),
        messageDelta(null, { input_tokens: 12 }),
        messageDelta(),
        stop,
      ]
      await line.chunk(events.map(sse).join(""))
      await line.finish()
    }),
  )
  expect(await ask(openPort(server.url))).toEqual([
    ...said("hi").slice(0, 4),
    { type: "message_delta", stopReason: "end_turn", usage: { input_tokens: 12, output_tokens: 7 } },
    { type: "message_stop" },
  ])
})

test("events without names are understood by their type", async () => {
  await using server = await rawServer(
    streamsThen([], (line) =>
      line
        .chunk(
          saying("hi")
            .map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`)
            .join(""),
        )
        .then(line.finish),
    ),
  )
  expect(await ask(openPort(server.url))).toEqual(said("hi"))
})

test("an answer that drips byte by byte is the same answer", async () => {
  await using server = await rawServer(
    streamsThen([], async (line) => {
      for (const byte of Buffer.from(saying("héllo → 🌍").map(sse).join(""))) await line.chunk(new Uint8Array([byte]))
      await line.finish()
    }),
  )
  expect(await ask(openPort(server.url))).toEqual(said("héllo → 🌍"))
})

test("a single piece of 10 MB arrives whole", async () => {
  const text = "0123456789abcdef".repeat(655_360)
  await using server = await rawServer(streams(...saying(text)))
  const events = await ask(openPort(server.url))
  expect(events.map(({ type }) => type)).toEqual(said("").map(({ type }) => type))
  const piece = events[2]
  expect(piece?.type === "text_delta" && piece.text === text).toBe(true)
})

test("thinking, its signature and redacted thinking pass through", async () => {
  await using server = await rawServer(
    streams(
      start(),
      blockStart(0, { type: "thinking", thinking: "", signature: "" }),
      delta(0, { type: "thinking_delta", thinking: "Hm" }),
      delta(0, { type: "signature_delta", signature: "sig" }),
      blockStop(0),
      blockStart(1, { type: "redacted_thinking", data: "abc" }),
      blockStop(1),
      messageDelta("pause_turn", {}),
      stop,
    ),
  )
  expect((await ask(openPort(server.url))).slice(1)).toEqual([
    { type: "block_start", index: 0, block: { type: "thinking", thinking: "" } },
    { type: "thinking_delta", index: 0, thinking: "Hm" },
    { type: "proof_delta", index: 0, proof: { by: "anthropic", value: "sig" } },
    { type: "block_stop", index: 0 },
    { type: "block_start", index: 1, block: { type: "redacted_thinking", proof: { by: "anthropic", value: "abc" } } },
    { type: "block_stop", index: 1 },
    { type: "message_delta", stopReason: "pause_turn", usage: {} },
    { type: "message_stop" },
  ])
})

test("a connection closed while it was idle costs nothing", async () => {
  await using server = await rawServer((line, seen) => Promise.resolve(fine(line, seen)).then(line.close), fine)
  const port = openPort(server.url)
  expect(await ask(port)).toEqual(said("hi"))
  await Bun.sleep(20)
  const second = await ask(port)
  expect(second.filter(({ type }) => type !== "retry")).toEqual(saidAgain("hi"))
})

test("nothing listens: every attempt is made, and the end says so", async () => {
  const server = await rawServer(fine)
  await server[Symbol.asyncDispose]()
  const clock = fakeClock()
  const events = await ask(openPort(server.url, { clock, policy: { attempts: 4 } }))
  expect(failuresIn(events)).toEqual(["retry unreachable", "retry unreachable", "retry unreachable", "unreachable"])
  expect(clock.slept).toHaveLength(3)
})

test("a redirect is not followed, and the key does not arrive elsewhere", async () => {
  await using elsewhere = await rawServer(fine)
  await using server = await rawServer((line) =>
    line.send(`HTTP/1.1 307 Temporary Redirect\r\nlocation: ${elsewhere.url}/v1/messages\r\ncontent-length: 0\r\n\r\n`),
  )
  expect(await ask(openPort(server.url))).toEqual([
    { type: "error", failure: { kind: "rejected", status: 307, message: expect.stringContaining("redirects") } },
  ])
  expect(elsewhere.seen).toEqual([])
})

test("no answer within the first-byte limit counts as unreachable and is retried", async () => {
  await using server = await rawServer(() => {}, fine)
  const clock = fakeClock()
  const asked = ask(openPort(server.url, { clock }))
  await until(() => server.seen.length === 1)
  clock.advance(59_999)
  await Bun.sleep(5)
  expect(server.seen).toHaveLength(1)
  clock.advance(1)
  const events = await asked
  expect(events[0]).toMatchObject({
    type: "retry",
    retry: { failure: { kind: "unreachable", message: expect.stringContaining("60 s") } },
  })
  expect(events.slice(1)).toEqual(said("hi"))
})

test("pings keep a stream alive; when they stop too, it is a break", async () => {
  const lines: Line[] = []
  await using server = await rawServer(
    streamsThen([start(), ping], (line) => lines.push(line)),
    fine,
  )
  const clock = fakeClock()
  // A shorter limit needs a timer of its own, so the second one says that the stream is read.
  const asked = ask(openPort(server.url, { clock, limits: { firstByteMs: 100_000 } }))
  await until(() => clock.armed() === 2)
  await Bun.sleep(100)
  clock.advance(80_000)
  await lines[0]?.chunk(sse(ping))
  await Bun.sleep(100)
  clock.advance(80_000)
  await Bun.sleep(100)
  expect(server.seen).toHaveLength(1)
  clock.advance(10_000)
  const events = await asked
  expect(events[0]).toMatchObject({
    type: "retry",
    retry: { failure: { kind: "unreachable", message: expect.stringContaining("90 s") } },
  })
  expect(events.slice(1)).toEqual(said("hi"))
})

test("silence after content is a break", async () => {
  await using server = await rawServer(streamsThen(textBegun, () => {}))
  const clock = fakeClock()
  const port = openPort(server.url, { clock, limits: { silenceMs: 500 } })
  const events: unknown[] = []
  for await (const event of port.stream(requestOf(), new AbortController().signal)) {
    events.push(event)
    if (event.type === "text_delta") setTimeout(() => clock.advance(500), 5)
  }
  expect(events).toEqual([
    ...begunEvents,
    { type: "error", failure: { kind: "broken", message: expect.any(String) } },
  ] as never)
  expect(clock.pending()).toBe(0)
})

test("however many events come, one timer watches them", async () => {
  await using server = await rawServer(
    streams(start(), ...textBlock(0, ...Array.from({ length: 2_000 }, String)), messageDelta(), stop),
  )
  const clock = fakeClock()
  expect(await ask(openPort(server.url, { clock }))).toHaveLength(2_005)
  expect(clock.armed()).toBeLessThanOrEqual(3)
  await until(() => clock.pending() === 0)
})

test("the whole answer at once is told as the stream would have told it", async () => {
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-test",
    stop_reason: "tool_use",
    content: [
      { type: "thinking", thinking: "Hm", signature: "sig" },
      { type: "text", text: "hi" },
      { type: "tool_use", id: "toolu_a", name: "Read", input: { path: "x" } },
    ],
    usage: { input_tokens: 10, output_tokens: 7 },
  }
  await using server = await rawServer(async (line) => {
    await line.begin("200 OK", { "content-type": "application/json" })
    await line.chunk(JSON.stringify(message))
    await line.finish()
  })
  expect(await ask(openPort(server.url), { delivery: "whole" })).toEqual([
    {
      type: "message_start",
      id: "msg_1",
      model: "claude-test",
      usage: { input_tokens: 10, output_tokens: 7, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    },
    { type: "block_start", index: 0, block: { type: "thinking", thinking: "" } },
    { type: "thinking_delta", index: 0, thinking: "Hm" },
    { type: "proof_delta", index: 0, proof: { by: "anthropic", value: "sig" } },
    { type: "block_stop", index: 0 },
    { type: "block_start", index: 1, block: { type: "text", text: "" } },
    { type: "text_delta", index: 1, text: "hi" },
    { type: "block_stop", index: 1 },
    { type: "block_start", index: 2, block: { type: "tool_use", id: "toolu_a", name: "Read", input: {} } },
    { type: "input_delta", index: 2, json: `{"path":"x"}` },
    { type: "block_stop", index: 2 },
    { type: "message_delta", stopReason: "tool_use", usage: { input_tokens: 10, output_tokens: 7 } },
    { type: "message_stop" },
  ])
  expect(JSON.parse(server.seen[0]?.body ?? "").stream).toBe(false)
})

test("a whole answer that is garbled leaves no trace and is asked for again", async () => {
  const json =
    (text: string): Reply =>
    async (line) => {
      await line.begin("200 OK", { "content-type": "application/json" })
      await line.chunk(text)
      await line.finish()
    }
  const good = json(
    JSON.stringify({ id: "m", model: "x", content: [{ type: "text", text: "hi" }], stop_reason: "end_turn" }),
  )
  await using server = await rawServer(
    json("{"),
    json("[]"),
    json(`{"id":"m","model":"x","content":[{"type":"text","text":"hi"},7]}`),
    json(`{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`),
    good,
  )
  const events = await ask(openPort(server.url), { delivery: "whole" })
  expect(failuresIn(events)).toEqual(["retry server", "retry server", "retry server", "retry overloaded"])
  expect(events.at(-1)).toEqual({ type: "message_stop" })
  expect(events.filter(({ type }) => type === "block_start")).toHaveLength(1)
})

test("ids of calls that are duplicate, used before or malformed are replaced", async () => {
  const calls = (...ids: readonly string[]): Reply =>
    streams(
      start(),
      ...ids.flatMap((id, index) => toolBlock(index, id, "Read", `{"n":${index}}`)),
      messageDelta("tool_use"),
      stop,
    )
  await using server = await rawServer(
    calls("toolu_1", "toolu_1", "no good!", ""),
    calls("toolu_1", "toolu_2", "toolu_old"),
  )
  const port = openPort(server.url)
  const used = async (messages = requestOf().messages): Promise<string[]> =>
    (await ask(port, { messages })).flatMap((event) =>
      event.type === "block_start" && event.block.type === "tool_use" ? [event.block.id] : [],
    )
  const first = await used()
  const second = await used([
    ...requestOf().messages,
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_old", name: "Read", input: {} }] },
  ])
  const fresh = /^toolu_[0-9a-f]{24}$/
  expect(first[0]).toBe("toolu_1")
  expect(first.slice(1)).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(fresh)))
  expect(second).toEqual([expect.stringMatching(fresh), "toolu_2", expect.stringMatching(fresh)])
  expect(new Set([...first, ...second]).size).toBe(7)
})

test("an interrupted answer ends at once with an abort, and its connection is dropped", async () => {
  const gone = Promise.withResolvers<void>()
  await using server = await rawServer(streamsThen(textBegun, (line) => line.gone.then(gone.resolve)))
  const controller = new AbortController()
  const events: unknown[] = []
  for await (const event of openPort(server.url).stream(requestOf(), controller.signal)) {
    events.push(event)
    if (event.type === "text_delta") controller.abort()
  }
  await gone.promise
  expect(events).toEqual([
    ...begunEvents,
    { type: "error", failure: { kind: "aborted", message: "Interrupted." } },
  ] as never)
})

test("after an interrupt nothing more of the answer is told, though it has arrived", async () => {
  await using server = await rawServer(streams(start(), ...textBlock(0, "a", "b", "c"), messageDelta(), stop))
  const controller = new AbortController()
  const events: ModelEvent[] = []
  for await (const event of openPort(server.url).stream(requestOf(), controller.signal)) {
    events.push(event)
    if (event.type === "text_delta") controller.abort()
  }
  expect(events.map(({ type }) => type)).toEqual(["message_start", "block_start", "text_delta", "error"])
})

test("an interrupt before the request, and one before the headers, are aborts too", async () => {
  await using server = await rawServer(() => {})
  const aborted = [{ type: "error", failure: { kind: "aborted", message: "Interrupted." } }]
  expect(await ask(openPort(server.url), {}, AbortSignal.abort())).toEqual(aborted as never)
  expect(server.seen).toEqual([])
  const controller = new AbortController()
  const asked = ask(openPort(server.url), {}, controller.signal)
  await until(() => server.seen.length === 1)
  controller.abort()
  expect(await asked).toEqual(aborted as never)
})

test("closing the port ends what is under way", async () => {
  await using server = await rawServer(streamsThen([start()], () => {}))
  const port = openPort(server.url)
  const asked = ask(port)
  await until(() => server.seen.length === 1)
  await Bun.sleep(10)
  port.close()
  expect(failuresIn(await asked)).toEqual(["aborted"])
  expect(failuresIn(await ask(port))).toEqual(["aborted"])
})

test("whoever stops listening midway frees the connection", async () => {
  const gone = Promise.withResolvers<void>()
  await using server = await rawServer(streamsThen(textBegun, (line) => line.gone.then(gone.resolve)))
  for await (const event of openPort(server.url).stream(requestOf(), new AbortController().signal))
    if (event.type === "text_delta") break
  await gone.promise
})

test("a stream that lingers after its last event holds nobody up, and is dropped in the end", async () => {
  await using server = await rawServer(
    streamsThen(saying("hi"), () => {}),
    fine,
  )
  const clock = fakeClock()
  const port = openPort(server.url, { clock })
  expect(await ask(port)).toEqual(said("hi"))
  expect(clock.pending()).toBe(1)
  clock.advance(5_000)
  await until(() => clock.pending() === 0)
  expect(await ask(port)).toEqual(saidAgain("hi"))
})

test("the environment of the process has no say", async () => {
  using _ = setVariables({
    ANTHROPIC_CUSTOM_HEADERS: "x-leak: 1\nx-api-key: leaked",
    ANTHROPIC_API_KEY: "leaked",
    ANTHROPIC_AUTH_TOKEN: "leaked",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    ANTHROPIC_LOG: "debug",
  })
  await using server = await rawServer(fine)
  const port = openPort(server.url, {
    provider: { apiKey: "", headers: { "X-Team": "a", "anthropic-beta": "one" } },
    ids: seededIds(1),
  })
  expect(await ask(port, { model: "claude-sonnet-4-5[1m]" })).toEqual(said("hi"))
  const names = [...(server.seen[0]?.headers.keys() ?? [])]
  expect(
    names.filter((name) => !["connection", "host", "accept-encoding", "content-length"].includes(name)).sort(),
  ).toEqual(["accept", "anthropic-beta", "anthropic-version", "content-type", "user-agent", "x-team"])
  expect(server.seen[0]?.headers.get("anthropic-beta")).toBe("one, context-1m-2025-08-07")
  expect(JSON.parse(server.seen[0]?.body ?? "").model).toBe("claude-sonnet-4-5")
})

/** Of our own process, until the end of the test. */
function setVariables(variables: { readonly [name: string]: string }): Disposable {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, variables)
  return {
    [Symbol.dispose]() {
      for (const [name, value] of before)
        if (value === undefined) delete process.env[name]
        else process.env[name] = value
    },
  }
}

test.each(["not an address", "ftp://x", "http://", ""])(
  "an address that is none (%p) is said so at once",
  async (url) => {
    expect(failuresIn(await ask(openPort(url)))).toEqual(["rejected"])
  },
)

test("a key that cannot be sent is said so at once", async () => {
  await using server = await rawServer(fine)
  expect(failuresIn(await ask(openPort(server.url, { provider: { apiKey: "a\nb" } })))).toEqual(["unauthorized"])
})

test("a refusal in HTML is not repeated to the person", async () => {
  await using server = await rawServer(async (line) => {
    await line.begin("404 Not Found", { "content-type": "text/html" })
    await line.chunk(`<!DOCTYPE html><html><body>${"x".repeat(5_000)}</body></html>`)
    await line.finish()
  })
  expect(await ask(openPort(server.url))).toEqual([
    {
      type: "error",
      failure: {
        kind: "rejected",
        status: 404,
        message: `${new URL(server.url).host} refused the request (404). It answered with a web page.`,
      },
    },
  ])
  await using unwell = await rawServer(refuses(418, "teapot", "short and stout"))
  expect(failuresIn(await ask(openPort(unwell.url)))).toEqual(["rejected"])
})
