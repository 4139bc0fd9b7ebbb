/** A turn: what is asked of the model and recorded, how it ends, and what stops a model that gets nowhere. */

import { describe, expect, test } from "bun:test"
import type { Agent } from "#agent/agent.ts"
import { run } from "#agent/loop.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import { type ModelEvent, noUsage, type StopReason, type Usage } from "#agent/words/model.ts"
import { type AnyTool, refused } from "#agent/words/tool.ts"
import type { JsonObject } from "#lib/json.ts"
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
    publish: () => {},
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
    const tooLong = Array.from({ length: 5 }, () => [failure("too_long")])
    const { end } = open([...tooLong, answer("one", "pause_turn"), ...tooLong, answer("two")], {
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

describe("an answer that is cut off", () => {
  const half = answer("half").slice(0, 2)
  const words = "twelve words that were received and paid for before it broke off"
  const received: ModelEvent = { type: "text_delta", index: 0, text: words }

  test.each(["interrupted", "broken"] as const)("because it was %s costs at least what was received", async (how) => {
    const settled: Usage[] = []
    const recorded: Usage[] = []
    const story = open([], {
      model: {
        async *stream() {
          yield* [...half, received]
          if (how === "interrupted") story.turn.abort()
          yield { type: "error", failure: { kind: how === "broken" ? "broken" : "aborted", message: "cut" } }
        },
      },
      limits: { concurrency: 1, graceMs: 1, repeats: 0 },
      settle: (_model, usage) => void settled.push(usage),
      record: (body) => {
        if (body.kind === "reply_end") recorded.push(body.usage)
        return { ...body, uuid: "", parentUuid: null, at: 0 }
      },
    })
    await story.end()
    expect(settled[0]?.output_tokens).toBeGreaterThan(words.length / 4)
    expect(recorded).toEqual(settled)
  })

  test("without a word of its own leaves no empty reply behind", async () => {
    const kinds: string[] = []
    const story = open([], {
      model: {
        async *stream() {
          yield* [...half, { type: "text_delta", index: 0, text: " \n" }]
          story.turn.abort()
        },
      },
      record: (body) => {
        kinds.push(body.kind)
        return { ...body, uuid: "", parentUuid: null, at: 0 }
      },
    })
    expect(await story.end()).toEqual({ reason: "aborted", cause: "aborted_streaming" })
    expect(kinds).toEqual(["reply_end"])
  })

  test("with an error that will not pass is not asked for again", async () => {
    const { end, happened } = open([[...half, received, failure("unauthorized")]])
    expect(await end()).toMatchObject({ reason: "error", cause: "unauthorized" })
    expect(happened.filter((one) => one.startsWith("request"))).toHaveLength(1)
  })

  test("because it was too long is asked for again once there is room", async () => {
    const { end } = open([[...half, received, failure("too_long")], answer("fits")], { recover: () => "again" })
    expect(await end()).toEqual({ reason: "completed" })
  })

  test("before it began returns what was reserved for it", async () => {
    let released = 0
    const { end } = open([[failure("unauthorized")]], { release: () => void released++ })
    await end()
    expect(released).toBe(1)
  })
})

describe("a model that gets nowhere", () => {
  const calling = (id: string, input: JsonObject): ModelEvent[] => [
    { type: "message_start", id, model: "x", usage: noUsage },
    { type: "block_start", index: 0, block: { type: "tool_use", id, name: "Act", input } },
    { type: "block_stop", index: 0 },
    { type: "message_delta", stopReason: "tool_use", usage: {} },
    { type: "message_stop" },
  ]
  const act: AnyTool = {
    name: "Act",
    description: "Fails.",
    schema: {},
    parse: (value) => ({ ok: true, value }),
    title: () => "Act",
    footprint: () => touchesNothing(),
    run: async () => refused("no"),
    maxResultChars: 100,
  }
  const request = { model: "x", system: [], tools: [], messages: [], maxTokens: 1 } as const
  const failing: Partial<Agent> = {
    prepare: async ({ delivery, repeat }) => ({
      kind: "request",
      tools: [act],
      request: { ...request, thinking: { type: "off" }, delivery, repeat },
    }),
    call: async () => refused("no"),
  }
  const times = (count: number, input: (nth: number) => JsonObject): ModelEvent[][] =>
    Array.from({ length: count }, (_, nth) => calling(`c${nth}`, input(nth)))

  test("is reminded when the same call keeps failing, and then its turn ends", async () => {
    const { end, happened } = open(
      times(40, () => ({ same: true })),
      failing,
    )
    expect(await end()).toMatchObject({ reason: "error", cause: "loop_guard" })
    expect(happened.filter((one) => one === "attachment loop_guard")).toHaveLength(1)
    expect(happened.filter((one) => one === "result")).toHaveLength(15)
  })

  test("may fail in different ways as often as it wants", async () => {
    const { end, happened } = open([...times(20, (nth) => ({ nth })), answer("done")], failing)
    expect(await end()).toEqual({ reason: "completed" })
    expect(happened).not.toContain("attachment loop_guard")
  })

  test("may pause twenty times in a row, and not for ever", async () => {
    const pauses = (count: number) => Array.from({ length: count }, () => answer("wait", "pause_turn"))
    expect(await open([...pauses(20), answer("done")]).end()).toEqual({ reason: "completed" })
    expect(await open(pauses(100)).end()).toMatchObject({ reason: "error", cause: "pause_turn" })
  })

  test("is cut off at the output limit only so often in a row", async () => {
    const cuts = (count: number) => Array.from({ length: count }, () => answer("more", "max_tokens"))
    expect(await open([...cuts(3), answer("done")]).end()).toEqual({ reason: "completed" })
    expect(await open(cuts(100)).end()).toMatchObject({ reason: "error", cause: "max_output_tokens" })
  })

  test("ends its turn when one of several calls was rejected", async () => {
    const [first = [], second = []] = times(2, (nth) => ({ nth }))
    const both = [
      ...first.slice(0, 3),
      ...second.slice(1, 3).map((event) => ({ ...event, index: 1 })),
      ...first.slice(3),
    ]
    const { end } = open([both as ModelEvent[], answer("never")], {
      ...failing,
      call: async ({ callId }) => refused("no", callId === "c0" ? { rejected: true } : {}),
    })
    expect(await end()).toMatchObject({ reason: "aborted", cause: "declined" })
  })
})
