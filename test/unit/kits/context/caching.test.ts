/** When a lost cache is told of, and what is named as the cause. */

import { expect, test } from "bun:test"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Message } from "#agent/words/message.ts"
import type { Request, ToolSpec } from "#agent/words/model.ts"
import { openCacheWatch } from "#kits/context/caching.ts"

const says = (role: "user" | "assistant", ...texts: string[]): Message =>
  ({ role, content: texts.map((text) => ({ type: "text", text })) }) as Message

const base: Request = {
  model: "m",
  system: [{ text: "system" }],
  tools: [{ name: "Read", description: "reads", input_schema: {} }],
  messages: [says("user", "one"), says("assistant", "two"), says("user", "three")],
  maxTokens: 100,
  thinking: { type: "off" },
  delivery: "stream",
  repeat: 0,
}

function openBench(keptMs: number | undefined = 5 * 60_000) {
  const notices: string[] = []
  const watch = openCacheWatch({
    record: (body) => body.kind === "notice" && notices.push(body.text),
    keptMs: () => keptMs,
  })
  let at = 0
  const take = (body: EntryBody): void => watch.onEntry({ ...body, uuid: "u", parentUuid: null, at } as Entry)
  return {
    /** What is found is said before the next request. */
    notices(): readonly string[] {
      watch.sent(base)
      return notices
    },
    take,
    wait: (ms: number) => (at += ms),
    step(request: Request, cached: number, cut?: "orphaned") {
      watch.sent(request)
      const usage = {
        input_tokens: 10,
        output_tokens: 5,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: cached,
      }
      const ended = cut ? ({ stopReason: null, cut } as const) : ({ stopReason: "end_turn" } as const)
      take({ kind: "reply_end", messageId: "m", model: "m", ...ended, usage, durationMs: 1 })
    },
  }
}

const grown: Request = {
  ...base,
  messages: [
    ...base.messages.slice(0, 2),
    says("user", "three", "and more"),
    says("assistant", "four"),
    says("user", "five"),
  ],
}

const readTool: ToolSpec = { name: "Read", description: "reads", input_schema: {} }
const writeTool: ToolSpec = { name: "Write", description: "writes", input_schema: {} }

const changes: readonly (readonly [string, Request])[] = [
  ["the tools (Read is gone)", { ...grown, tools: [] }],
  ["the tools (Write is new)", { ...grown, tools: [readTool, writeTool] }],
  ["the tools (Write is new)", { ...grown, tools: [writeTool, readTool] }],
  ["the tools (Read is another)", { ...grown, tools: [{ ...readTool, description: "reads more" }] }],
  ["the system prompt", { ...grown, system: [{ text: "other" }] }],
  ["the settings of the request", { ...grown, thinking: { type: "on", tokens: 10 } }],
  [
    "message 2 of 3",
    { ...grown, messages: [says("user", "one"), says("assistant", "TWO"), ...grown.messages.slice(2)] },
  ],
  ["message 3 of 3", { ...grown, messages: [...base.messages.slice(0, 2), says("user", "other")] }],
]

test("another model has another cache, whoever chose it", () => {
  const bench = openBench()
  bench.step(base, 50_000)
  bench.step({ ...grown, model: "other" }, 1_000)
  expect(bench.notices()).toEqual([])
})

for (const [name, changed] of changes)
  test(`a fall is told of and its cause named: ${name}`, () => {
    const bench = openBench()
    bench.step(base, 50_000)
    bench.step(changed, 1_000)
    expect(bench.notices()).toEqual([
      `The provider read 49,000 tokens fewer from its cache than before, so they were paid for again. What changed is ${name}.`,
    ])
  })

test("deferred tools that come, change and go change nothing, until one changes that was loaded", () => {
  const late: ToolSpec = { name: "mcp__a__b", description: "b", input_schema: {}, deferred: true }
  const loads: Message = {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "t", content: [{ type: "tool_reference", tool_name: "mcp__a__b" }] },
      { type: "text", text: "three" },
    ],
  }
  const withTools = (request: Request, ...tools: ToolSpec[]): Request => ({ ...request, tools: [readTool, ...tools] })
  const loaded = (request: Request): Request => ({ ...request, messages: [...request.messages.slice(0, 2), loads] })

  const unloaded = openBench()
  unloaded.step(withTools(base, late), 50_000)
  unloaded.step(withTools(grown, { ...late, description: "other" }), 1_000)
  expect(unloaded.notices()[0]).toContain("the provider did not keep it")
  const bench = openBench()
  bench.step(loaded(withTools(base, late)), 50_000)
  bench.step(loaded(withTools(base, { ...late, description: "other" })), 1_000)
  expect(bench.notices()[0]).toContain("What changed is the tool mcp__a__b, which was loaded before.")
})

test("what a resume made anew is named as the cause, while the provider may still have what was sent before it", () => {
  const { system, tools } = base
  const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 50_000 }
  const resumed = (request: Request, waitMs = 0): readonly string[] => {
    const bench = openBench()
    bench.take({ kind: "setup", system, tools })
    bench.take({
      kind: "request",
      model: "m",
      messages: 1,
      digest: "d",
      maxTokens: 1,
      thinking: "off",
      delivery: "stream",
    })
    bench.take({ kind: "reply_end", messageId: "m", model: "m", stopReason: "end_turn", usage, durationMs: 1 })
    bench.wait(waitMs)
    bench.step(request, 1_000)
    return bench.notices()
  }
  const lost = "The provider read 49,000 tokens fewer from its cache than before, so they were paid for again."
  const anew = "which was made again when the session was resumed."
  expect(resumed({ ...grown, system: [{ text: "other" }] })).toEqual([
    `${lost} What changed is the system prompt, ${anew}`,
  ])
  expect(resumed({ ...grown, tools: [] })).toEqual([`${lost} What changed is the tools (Read is gone), ${anew}`])
  expect(resumed(grown)[0]).toContain("the provider did not keep it")
  expect(resumed({ ...grown, tools: [] }, 5 * 60_000 + 1)).toEqual([])
  expect(resumed({ ...grown, model: "other" })).toEqual([])
})

test("when nothing changed, the provider forgot", () => {
  const bench = openBench()
  bench.step(base, 50_000)
  bench.step({ ...grown, messages: grown.messages.map((message) => ({ ...message })) as Message[] }, 1_000)
  expect(bench.notices()[0]).toContain("the provider did not keep it")
})

test("an old log that is read again was judged when it was written", () => {
  const bench = openBench()
  const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  for (const cached of [50_000, 0])
    bench.take({
      kind: "reply_end",
      messageId: "m",
      model: "m",
      stopReason: "end_turn",
      usage: { ...usage, cache_read_input_tokens: cached },
      durationMs: 1,
    })
  expect(bench.notices()).toEqual([])
})

test("small falls, pauses, and what makes the conversation another are no reason to speak", () => {
  const quiet: readonly ((bench: ReturnType<typeof openBench>) => void)[] = [
    (bench) => bench.step(grown, 48_001),
    (bench) => bench.step(grown, 60_000),
    (bench) => {
      bench.wait(5 * 60_000 + 1)
      bench.step(grown, 0)
    },
    (bench) => {
      bench.take({ kind: "model", model: "other", why: "chosen" })
      bench.step(grown, 0)
    },
    (bench) => {
      bench.take({ kind: "stub", stubs: [], wonTokens: 1 })
      bench.step(grown, 0)
    },
    (bench) => {
      bench.take({ kind: "head", to: null, why: "clear" })
      bench.step(grown, 0)
    },
    (bench) => bench.step(grown, 0, "orphaned"),
  ]
  for (const act of quiet) {
    const bench = openBench()
    bench.step(base, 50_000)
    act(bench)
    expect(bench.notices()).toEqual([])
  }
  const small = openBench()
  small.step(base, 1_900)
  small.step(grown, 0)
  expect(small.notices()).toEqual([])
})

test("how long a pause excuses a fall is for the provider to say", () => {
  const after = (keptMs: number | undefined, waited: number): readonly string[] => {
    const bench = openBench(keptMs)
    bench.step(base, 50_000)
    bench.wait(waited)
    bench.step(grown, 0)
    return bench.notices()
  }
  expect(after(60 * 60_000, 6 * 60_000)).toHaveLength(1)
  expect(after(60 * 60_000, 61 * 60_000)).toEqual([])
})
