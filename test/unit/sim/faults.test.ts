import { connect } from "node:net"
import { expect, test } from "bun:test"
import { isObject, type JsonObject } from "#lib/json.ts"
import { faultFacts, faultNames, type Fault, type FaultName } from "#sim/faults.ts"
import type { ScenarioReply } from "#sim/scenario.ts"
import type { Simulator } from "#sim/server.ts"
import { eventsIn, hello, jsonOf, keyed, open, post, withCall } from "./open.ts"

const reply: ScenarioReply = {
  times: "always",
  content: [
    "I will read two files now.",
    { tool: "Read", input: { file_path: "one.txt" } },
    { tool: "Read", input: { file_path: "two.txt" } },
  ],
}
const streaming: JsonObject = { ...hello, stream: true }

const withFault = async (fault: FaultName | Fault): Promise<Simulator & AsyncDisposable> => {
  const sim = await open({ scenario: { replies: [reply] } })
  sim.setFaults([fault])
  return sim
}

interface Raw {
  readonly bytes: string
  readonly end: "closed" | "reset"
}

/** Asks over a bare socket, so that the very bytes and the very end can be seen. */
function ask(sim: Simulator, body: JsonObject, until?: (bytes: string) => boolean): Promise<Raw> {
  const text = JSON.stringify(body)
  const headers = Object.entries(keyed).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve) => {
    let bytes = ""
    let end: Raw["end"] = "closed"
    const socket = connect(sim.port, "127.0.0.1", () =>
      socket.write(
        `POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers.join("")}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      ),
    )
    socket.on("data", (chunk) => {
      bytes += chunk.toString()
      if (until?.(bytes)) socket.destroy()
    })
    socket.on("error", () => {
      end = "reset"
    })
    socket.on("close", () => resolve({ bytes, end }))
  })
}

/** Asks and takes whatever comes of it. */
const attempt = (sim: Simulator, body: JsonObject): Promise<string> =>
  post(sim.url, body)
    .then((response) => response.text())
    .catch(() => "broken")

const whole = (bytes: string): boolean => bytes.endsWith("0\r\n\r\n")

test.each([
  ["rate_limit", 429, "rate_limit_error", "1"],
  ["rate_limit_no_header", 429, "rate_limit_error", null],
  ["rate_limit_reset_far", 429, "rate_limit_error", "3600"],
  ["server_error", 500, "api_error", null],
  ["overloaded", 529, "overloaded_error", null],
  ["unauthorized", 401, "authentication_error", null],
  ["too_long", 400, "invalid_request_error", null],
  ["too_large", 413, "request_too_large", null],
] as const)(
  "%s answers once with its status and shape, then the reply comes",
  async (fault, status, type, retryAfter) => {
    await using sim = await withFault(fault)
    const response = await post(sim.url, streaming)
    expect(response.status).toBe(status)
    expect(response.headers.get("retry-after")).toBe(retryAfter)
    expect(await jsonOf(response)).toMatchObject({ type: "error", error: { type } })
    expect((await post(sim.url, streaming)).status).toBe(200)
    expect(sim.requests.map((request) => request.fault)).toEqual([fault, undefined])
  },
)

test("a far reset names its time", async () => {
  await using sim = await withFault({ name: "rate_limit_reset_far", retryAfterSeconds: 600 })
  const { headers } = await post(sim.url, streaming)
  const reset = Date.parse(headers.get("anthropic-ratelimit-requests-reset") ?? "")
  expect(Math.round((reset - (sim.requests[0]?.at ?? 0)) / 1_000)).toBe(600)
})

test("bad_gateway and wrong_content_type answer with pages", async () => {
  await using sim = await withFault("bad_gateway")
  const gateway = await post(sim.url, streaming)
  expect([gateway.status, gateway.headers.get("content-type")]).toEqual([502, "text/html"])
  sim.setFaults(["wrong_content_type"])
  const page = await post(sim.url, streaming)
  expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html"])
})

test("reset_before_headers resets the connection without a byte", async () => {
  await using sim = await withFault("reset_before_headers")
  expect(await ask(sim, streaming)).toEqual({ bytes: "", end: "reset" })
})

test("reset_mid_event resets in the middle of an event", async () => {
  await using sim = await withFault("reset_mid_event")
  const { bytes, end } = await ask(sim, streaming)
  expect(end).toBe("reset")
  expect(bytes).toContain("content_block_delta")
  expect(bytes).not.toContain("message_stop")
  expect(bytes.trimEnd().endsWith("}")).toBe(false)
})

test("afterEvents says where it breaks", async () => {
  await using sim = await withFault({ name: "truncated_event", afterEvents: 1 })
  const { bytes } = await ask(sim, streaming, whole)
  expect(bytes.match(/^event: /gm)).toHaveLength(2)
})

test("reset_after_tool_call resets after the first whole call", async () => {
  await using sim = await withFault("reset_after_tool_call")
  const { bytes, end } = await ask(sim, streaming)
  expect(end).toBe("reset")
  expect(bytes).toContain(`{"type":"content_block_stop","index":1}`)
  expect(bytes).not.toContain(`"index":2`)
})

test("a fault that needs a call waits for one", async () => {
  await using sim = await open({ scenario: { replies: [{ content: "no call" }, reply] } })
  sim.setFaults(["reset_after_tool_call"])
  expect(await (await post(sim.url, streaming)).text()).toContain("message_stop")
  expect((await ask(sim, streaming)).end).toBe("reset")
})

test("truncated_event ends cleanly in the middle of an event", async () => {
  await using sim = await withFault("truncated_event")
  const stream = await (await post(sim.url, streaming)).text()
  expect(stream).not.toContain("message_stop")
  expect(stream.endsWith("\n\n")).toBe(false)
})

test("malformed_json breaks one event and goes on", async () => {
  await using sim = await withFault("malformed_json")
  const stream = await (await post(sim.url, streaming)).text()
  expect(() => eventsIn(stream)).toThrow()
  expect(stream).toContain("message_stop")
})

test("unknown_event adds an event and harms nothing", async () => {
  await using sim = await withFault("unknown_event")
  const kinds = eventsIn(await (await post(sim.url, streaming)).text()).map(({ event }) => event)
  expect(kinds).toContain("weather_report")
  expect(kinds.at(-1)).toBe("message_stop")
})

test("ping_stall opens, pings and says no more until the client leaves", async () => {
  await using sim = await withFault("ping_stall")
  const { bytes } = await ask(sim, streaming, (so) => so.includes("ping"))
  expect(bytes).toContain("message_start")
  expect(bytes).not.toContain("content_block")
})

test("slow_drip cuts the answer into drops that make the whole", async () => {
  await using sim = await withFault({ name: "slow_drip", everyMs: 1 })
  let chunks = 0
  const response = await post(sim.url, streaming)
  const decoder = new TextDecoder()
  let stream = ""
  for await (const chunk of response.body ?? []) {
    chunks++
    stream += decoder.decode(chunk, { stream: true })
  }
  expect(chunks).toBeGreaterThan(5)
  expect(eventsIn(stream).at(-1)?.event).toBe("message_stop")
})

test("huge_delta says 10 MB in one event", async () => {
  await using sim = await withFault("huge_delta")
  const events = eventsIn(await (await post(sim.url, streaming)).text())
  const sizes = events.map(({ data }) =>
    isObject(data.delta) && typeof data.delta.text === "string" ? data.delta.text.length : 0,
  )
  expect(Math.max(...sizes)).toBe(10 * 1024 * 1024)
})

test("error_event puts an error into a good stream and ends it", async () => {
  await using sim = await withFault("error_event")
  const events = eventsIn(await (await post(sim.url, streaming)).text())
  expect(events.at(-1)).toEqual({
    event: "error",
    data: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  })
  expect(events.some(({ event }) => event === "content_block_delta")).toBe(true)
})

test("max_tokens_in_tool stops in the middle of a call's JSON, and the reply comes again", async () => {
  await using sim = await open({ scenario: { replies: [{ ...reply, times: 1 }] } })
  sim.setFaults(["max_tokens_in_tool"])
  const events = eventsIn(await (await post(sim.url, streaming)).text())
  const json = events.map(({ data }) => (isObject(data.delta) ? (data.delta.partial_json ?? "") : "")).join("")
  expect(() => JSON.parse(json)).toThrow()
  expect(events.at(-2)?.data).toMatchObject({ delta: { stop_reason: "max_tokens" } })
  const again = await jsonOf(await post(sim.url, hello))
  expect(again).toMatchObject({ stop_reason: "tool_use" })
})

test.each([
  ["refusal", "refusal"],
  ["pause_turn", "pause_turn"],
  ["window_exceeded", "model_context_window_exceeded"],
] as const)("%s ends the answer with its own reason", async (fault, reason) => {
  await using sim = await withFault(fault)
  expect(await jsonOf(await post(sim.url, hello))).toMatchObject({ stop_reason: reason })
})

test("keep_alive_closed answers in full, promises nothing, and closes", async () => {
  await using sim = await withFault("keep_alive_closed")
  const { bytes, end } = await ask(sim, streaming)
  expect(end).toBe("closed")
  expect(bytes).toContain("message_stop")
  expect(bytes.toLowerCase()).not.toContain("connection: close")
})

const idsIn = (message: JsonObject): unknown[] =>
  Array.isArray(message.content)
    ? message.content
        .filter(isObject)
        .map(({ id }) => id)
        .filter(Boolean)
    : []

test("duplicate_tool_id reuses an id of the conversation", async () => {
  await using sim = await withFault("duplicate_tool_id")
  expect(idsIn(await jsonOf(await post(sim.url, withCall())))).toEqual(["toolu_1", "toolu_1"])
})

test("malformed_tool_id gives ids that strict checking refuses", async () => {
  await using sim = await withFault("malformed_tool_id")
  for (const id of idsIn(await jsonOf(await post(sim.url, hello)))) expect(id).not.toMatch(/^[a-zA-Z0-9_-]+$/)
})

test("every fault strikes a request that does not stream, too, and leaves the next one alone", async () => {
  await using sim = await open({ scenario: { replies: [reply] } })
  for (const name of faultNames.filter((fault) => fault !== "ping_stall")) {
    sim.setFaults([{ name, everyMs: 0, bytes: 1_000 }])
    await attempt(sim, hello)
    expect(sim.requests.at(-1)?.fault).toBe(name)
    expect(await jsonOf(await post(sim.url, hello))).toMatchObject({ stop_reason: "tool_use" })
  }
})

test("times says how often, and a fault inside a scenario uses its reply up", async () => {
  await using sim = await open({
    scenario: { replies: [{ fault: { name: "overloaded", times: 1 } }, { content: "first" }, { content: "second" }] },
  })
  const statuses: unknown[] = []
  statuses.push((await post(sim.url, hello)).status)
  sim.setFaults([{ name: "server_error", times: 2 }])
  for (let i = 0; i < 3; i++) statuses.push((await post(sim.url, hello)).status)
  expect(statuses).toEqual([529, 500, 500, 200])
  // What a client asks for again was kept: only the answer that came through used up a reply.
  expect(await jsonOf(await post(sim.url, hello))).toMatchObject({ content: [{ text: "second" }] })
})

test("a rate with a seed strikes the same requests every time, with common faults only", async () => {
  const strike = async (seed: number): Promise<(FaultName | undefined)[]> => {
    await using sim = await open({ scenario: { replies: [reply] }, faultRate: 0.5, seed })
    for (let i = 0; i < 20; i++) await attempt(sim, streaming)
    return sim.requests.map(({ fault }) => fault)
  }
  const first = await strike(7)
  expect(await strike(7)).toEqual(first)
  expect(await strike(8)).not.toEqual(first)
  const struck = first.filter((name) => name !== undefined)
  expect(struck.length).toBeGreaterThan(3)
  expect(struck.filter((name) => faultFacts[name].rare)).toEqual([])
})

test("a cut at a byte gives so many bytes of the body, through a character if need be", async () => {
  const euro: ScenarioReply = { times: "always", content: "\u20ac" }
  await using sim = await open({ scenario: { replies: [euro] } })
  const all = Buffer.from(await (await post(sim.url, streaming)).arrayBuffer())
  const inside = all.indexOf("\u20ac") + 1
  for (const afterBytes of [0, 1, inside, inside + 1, all.length - 1, all.length]) {
    sim.setFaults([{ name: "closed_at_byte", afterBytes }])
    const cut = Buffer.from(await (await post(sim.url, streaming)).arrayBuffer())
    expect(cut.length).toBe(afterBytes)
  }
  sim.setFaults(["reset_at_byte"])
  expect((await ask(sim, streaming)).end).toBe("reset")
})
