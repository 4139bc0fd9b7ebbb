/** When a lost cache is told of, and what is named as the cause. */

import { expect, test } from "bun:test"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Message } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
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

function openBench() {
  const notices: string[] = []
  const watch = openCacheWatch({ record: (body) => body.kind === "notice" && notices.push(body.text) })
  let at = 0
  const take = (body: EntryBody): void => watch.take({ ...body, uuid: "u", parentUuid: null, at } as Entry)
  return {
    /** What is found is said before the next request. */
    notices(): readonly string[] {
      watch.sent(base)
      return notices
    },
    take,
    wait: (ms: number) => (at += ms),
    step(request: Request, cached: number, stopReason = "end_turn") {
      watch.sent(request)
      const usage = {
        input_tokens: 10,
        output_tokens: 5,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: cached,
      }
      take({ kind: "reply_end", messageId: "m", model: "m", stopReason, usage, durationMs: 1 })
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

const changes: readonly (readonly [string, Request])[] = [
  ["the tools", { ...grown, tools: [] }],
  ["the system prompt", { ...grown, system: [{ text: "other" }] }],
  ["the settings of the request", { ...grown, thinking: { type: "budget", tokens: 10 } }],
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
      `The provider read 49000 tokens fewer from its cache than before, so they were paid for again. What changed is ${name}.`,
    ])
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
