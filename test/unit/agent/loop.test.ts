import { describe, expect, test } from "bun:test"
import type { Agent } from "#agent/agent.ts"
import { run } from "#agent/loop.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import { type ModelEvent, noUsage, type StopReason } from "#agent/words/model.ts"
import { systemClock } from "#lib/clock.ts"

/** One whole answer of one text. */
const answer = (text: string, stopReason: StopReason = "end_turn"): ModelEvent[] => [
  { type: "message_start", id: text, model: "x", usage: noUsage },
  { type: "block_start", index: 0, block: { type: "text", text: "" } },
  { type: "text_delta", index: 0, text },
  { type: "block_stop", index: 0 },
  { type: "message_delta", stopReason, usage: {} },
  { type: "message_stop" },
]
const failure = (kind: "broken" | "too_long" | "unauthorized"): ModelEvent => ({
  type: "error",
  failure: { kind, message: `it was ${kind}`, status: 400 },
})

function open(script: readonly (readonly ModelEvent[])[], more: Partial<Agent> = {}) {
  const happened: string[] = []
  const turn = new AbortController()
  let request = 0
  const agent: Agent = {
    model: {
      async *stream({ delivery, repeat, maxTokens }) {
        happened.push(`request ${delivery} ${repeat} ${maxTokens}`)
        yield* script[request++] ?? answer("nothing left")
      },
    },
    clock: systemClock,
    limits: { concurrency: 10, graceMs: 10, repeats: 3 },
    record: (body: EntryBody) => {
      happened.push(body.kind === "attachment" ? `attachment ${body.name}` : body.kind)
      return { ...body, uuid: "", parentUuid: null, at: 0 }
    },
    tell: () => {},
    tools: () => [],
    prepare: async ({ delivery, repeat, output }) => ({
      kind: "request",
      tools: [],
      request: {
        model: "x",
        system: [],
        tools: [],
        messages: [],
        maxTokens: output === "raised" ? 2 : 1,
        thinking: { type: "off" },
        delivery,
        repeat,
      },
    }),
    call: async () => ({ content: "", isError: false }),
    apply: () => {},
    settle: () => undefined,
    release: () => {},
    recover: () => "give_up",
    gather: async () => void happened.push("gather"),
    rest: async () => {
      happened.push("rest")
      return "end"
    },
    ...more,
  }
  return { agent, turn, happened, end: () => run(agent, turn.signal) }
}

describe("a turn", () => {
  test("gathers, asks, and rests when nothing is left to do", async () => {
    const { end, happened } = open([answer("hello")])
    expect(await end()).toEqual({ reason: "completed" })
    expect(happened).toEqual(["gather", "request stream 0 1", "reply", "reply_end", "rest"])
  })

  test("goes on while rest finds something", async () => {
    let rests = 0
    const { end, happened } = open([answer("one"), answer("two")], {
      rest: async () => (rests++ === 0 ? "go_on" : "end"),
    })
    expect(await end()).toEqual({ reason: "completed" })
    expect(happened.filter((one) => one.startsWith("request"))).toHaveLength(2)
  })

  test("that is interrupted with its last word is aborted, and nothing that waits is delivered", async () => {
    const story = open([], {
      model: {
        async *stream() {
          yield* answer("the end")
          story.turn.abort()
        },
      },
    })
    expect(await story.end()).toEqual({ reason: "aborted", cause: "aborted_streaming" })
    expect(story.happened).toEqual(["gather", "reply", "reply_end"])
  })

  test("that was interrupted before it began asks nothing", async () => {
    const { end, turn, happened } = open([answer("never")])
    turn.abort()
    expect(await end()).toEqual({ reason: "aborted" })
    expect(happened.filter((one) => one.startsWith("request"))).toEqual([])
  })

  test("stops at its limit of steps", async () => {
    const { end, happened } = open([answer("one"), answer("two"), answer("three")], {
      rest: async () => "go_on",
      limits: { concurrency: 1, graceMs: 1, repeats: 1, maxTurns: 2 },
    })
    expect(await end()).toMatchObject({ reason: "max_turns" })
    expect(happened.filter((one) => one.startsWith("request"))).toHaveLength(2)
  })
})

describe("an answer that did not come whole", () => {
  const cut = [...answer("half").slice(0, 3), failure("broken")]

  test("is orphaned and asked for again, at once the second time, and not for ever", async () => {
    const { end, happened } = open([cut, cut, cut, cut])
    expect(await end()).toEqual({ reason: "error", cause: "broken", message: "it was broken", status: 400 })
    expect(happened.filter((one) => one.startsWith("request"))).toEqual([
      "request stream 0 1",
      "request stream 1 1",
      "request whole 2 1",
      "request whole 3 1",
    ])
    expect(happened.filter((one) => one === "orphan")).toHaveLength(4)
  })

  test("without a word of why is broken too", async () => {
    const { end, happened } = open([answer("half").slice(0, 4), answer("whole")])
    expect(await end()).toEqual({ reason: "completed" })
    expect(happened.filter((one) => one === "orphan")).toHaveLength(1)
  })

  const call = (id: string): ModelEvent[] => [
    { type: "message_start", id, model: "x", usage: noUsage },
    { type: "block_start", index: 0, block: { type: "tool_use", id, name: "Act", input: {} } },
    { type: "block_stop", index: 0 },
    { type: "block_start", index: 1, block: { type: "text", text: "" } },
    { type: "text_delta", index: 1, text: "and" },
  ]

  test("keeps its complete call, which is answered, and the turn continues with the next step", async () => {
    const { end, happened } = open([[...call("a"), failure("broken")], answer("whole")])
    expect(await end()).toEqual({ reason: "completed" })
    expect(happened).toEqual([
      "gather",
      "request stream 0 1",
      "reply",
      "result",
      "reply_end",
      "gather",
      "request stream 1 1",
      "reply",
      "reply_end",
      "rest",
    ])
  })

  test("is asked for again only so often, complete calls or not", async () => {
    const cutAfterCalls = Array.from({ length: 9 }, (_, i) => [...call(`c${i}`), failure("broken")])
    const { end, happened } = open(cutAfterCalls)
    expect(await end()).toMatchObject({ reason: "error", cause: "broken" })
    expect(happened.filter((one) => one.startsWith("request"))).toEqual([
      "request stream 0 1",
      "request stream 1 1",
      "request whole 2 1",
      "request whole 3 1",
    ])
    expect(happened.filter((one) => one === "result")).toHaveLength(4)
    expect(happened).not.toContain("orphan")
  })

  test("in a row counts: one whole answer begins the count again", async () => {
    const script = [1, 2, 3, 4].flatMap((i) => [
      [...call(`c${i}`), failure("broken")],
      answer(`whole ${i}`, "pause_turn"),
    ])
    const { end } = open([...script, answer("done")])
    expect(await end()).toEqual({ reason: "completed" })
  })

  test("ends the turn with any other error, after its calls were answered", async () => {
    for (const verdict of ["again", "give_up"] as const) {
      const { end, happened } = open([[...call("a"), failure("unauthorized")]], { recover: () => verdict })
      expect(await end()).toMatchObject({ reason: "error", cause: "unauthorized" })
      expect(happened.filter((one) => one !== "gather")).toEqual(["request stream 0 1", "reply", "result", "reply_end"])
    }
  })

  test("cut off at the output limit is continued with more room", async () => {
    const { end, happened } = open([answer("a", "max_tokens"), answer("b")])
    expect(await end()).toEqual({ reason: "completed" })
    expect(happened.filter((one) => /request|attachment/.test(one))).toEqual([
      "request stream 0 1",
      "attachment continue",
      "request stream 0 2",
    ])
  })
})

describe("a request that is refused", () => {
  test("is made again only after something was changed", async () => {
    const recovered: string[] = []
    const { end, happened } = open([[failure("too_long")], answer("fits")], {
      recover: ({ kind }) => {
        recovered.push(kind)
        return "again"
      },
    })
    expect(await end()).toEqual({ reason: "completed" })
    expect(recovered).toEqual(["too_long"])
    expect(happened.filter((one) => one.startsWith("request"))).toHaveLength(2)
  })

  test("ends the turn with its cause when nothing helps", async () => {
    const { end } = open([[failure("unauthorized")]])
    expect(await end()).toEqual({
      reason: "error",
      cause: "unauthorized",
      message: "it was unauthorized",
      status: 400,
    })
  })

  test("is tried again so often at every step, not so often in a turn", async () => {
    const refused = Array.from({ length: 5 }, () => [failure("too_long")])
    const { end } = open([...refused, answer("one", "pause_turn"), ...refused, answer("two")], {
      recover: () => "again",
    })
    expect(await end()).toEqual({ reason: "completed" })
  })

  test("is not tried again for ever", async () => {
    const { end, happened } = open(
      Array.from({ length: 100 }, () => [failure("too_long")]),
      { recover: () => "again" },
    )
    expect(await end()).toMatchObject({ reason: "error", cause: "too_long" })
    expect(happened.filter((one) => one.startsWith("request")).length).toBeLessThan(12)
  })
})
