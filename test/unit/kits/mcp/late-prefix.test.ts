/** Whatever tools come, change, go and are searched for: each request is valid, and its beginning extends the one before. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { refold } from "#agent/words/follower.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Message } from "#agent/words/message.ts"
import type { Request } from "#agent/words/model.ts"
import { answered, type AnyTool } from "#agent/words/tool.ts"
import { claudeFacts } from "#ground/models/anthropic/releases.ts"
import { openRequestEncoder } from "#ground/models/anthropic/request.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openConversation } from "#kits/context/assemble.ts"
import type { JsonObject } from "#lib/json.ts"
import { openLate } from "#session/request/late.ts"
import { openSetup } from "#session/request/setup.ts"
import { openSetups, type SetupValue } from "#session/request/setups.ts"
import { measure, type Segment } from "#sim/measure.ts"
import { decodeRequest } from "#sim/request.ts"
import { checkBody } from "#sim/strict.ts"

const names = ["echo", "count", "shout", "add"] as const
const models = { newer: "claude-sonnet-5", older: "claude-3-7-sonnet" } as const

type Act =
  | { readonly kind: "come"; readonly name: string; readonly version: number }
  | { readonly kind: "go"; readonly name: string }
  | { readonly kind: "leave" }
  | { readonly kind: "search"; readonly query: string }
  | { readonly kind: "compact"; readonly kept: number }
  | { readonly kind: "back"; readonly to: number }
  | { readonly kind: "model"; readonly model: keyof typeof models }

const nameOf = fc.constantFrom(...names)
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("come" as const), name: nameOf, version: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("go" as const), name: nameOf }) },
  { weight: 1, arbitrary: fc.constant({ kind: "leave" as const }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("search" as const),
      query: fc.oneof(
        fc.subarray([...names], { minLength: 1 }).map((some) => `select:${some.join(",")}`),
        fc.constantFrom("word", "+tool 1", "nothing like it"),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("compact" as const), kept: fc.constantFrom(0, 2, 4) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("back" as const), to: fc.nat(100) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("model" as const), model: fc.constantFrom("newer", "older") }),
  },
)

test("each request is taken, and extends the one before until the conversation begins anew", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 30 }), fc.boolean(), async (acts, areLarge) => {
      const bench = openBench(areLarge ? 4_000 : 0)
      bench.request()
      for (const one of acts) {
        await bench.act(one)
        bench.request()
      }
    }),
    { numRuns: 150 },
  )
})

test("a tool that changed after it was loaded is read as it was, wherever it was loaded", async () => {
  const bench = openBench(0)
  bench.request()
  await bench.act({ kind: "come", name: "echo", version: 0 })
  bench.request()
  await bench.act({ kind: "search", query: "select:echo" })
  const before = bench.request()
  await bench.act({ kind: "come", name: "echo", version: 1 })
  expect(deferredIn(bench.request())).toEqual(deferredIn(before))
  // Whoever never loaded it gets it as it is.
  await bench.act({ kind: "come", name: "count", version: 0 })
  bench.request()
  await bench.act({ kind: "come", name: "count", version: 1 })
  expect(JSON.stringify(deferredIn(bench.request()))).toContain("count, version 1")
})

const beginningOf = ({ system, tools }: SetupValue) => ({
  system,
  tools: tools.filter(({ deferred, name }) => !deferred && name !== "CallTool"),
})

const referencesIn = (messages: readonly Message[]): readonly string[] =>
  [...JSON.stringify(messages).matchAll(/"tool_name":"([^"]+)"/g)].map(([, name]) => name ?? "")

const deferredIn = ({ tools }: Request) => tools.filter(({ deferred }) => deferred)

/** A conversation as a session keeps it, without what surrounds it; the strict checks of the simulator read what it sends. */
function openBench(wordsEach: number) {
  const made = new Map<string, AnyTool>()
  let present: readonly AnyTool[] = []
  let model: string = models.newer
  let path: readonly Entry[] = []
  let calls = 0
  const kit: Kit = { name: "server", late: () => present }
  const defers = (): boolean => model === models.newer
  const late = openLate({ kits: [kit], rules: [], mayUse: () => true, defers, window: () => 200_000 })
  const [search] = late.kit.tools ?? []
  const conversation = openConversation({ shrink })
  const setup = openSetup({
    settled: [toolNamed("Settled", "Is always there."), ...(search ? [search] : [])],
    joined: () => [],
    late,
    system: ({ tools, servers, day }) => [{ text: `${tools.join(" ")} ${servers.length} ${day}` }],
    day: () => "2030-01-01",
    defers,
    small: () => false,
    isForSmall: () => true,
    setups: openSetups(),
  })
  const encoder = openRequestEncoder({ name: "anthropic", idOf: (name) => name, factsOf: claudeFacts }, () => {})
  /** Each model has a cache of its own. */
  const before = new Map<string, readonly Segment[]>()

  const record = (body: EntryBody): void => {
    const entry: Entry = { ...body, uuid: `e${calls++}`, parentUuid: path.at(-1)?.uuid ?? null, at: 0 }
    path = [...path, entry]
    conversation.onEntry(entry)
    setup.onEntry(entry)
  }
  const say = (text: string): void =>
    record({ kind: "prompt", promptId: `p${calls}`, content: [{ type: "text", text }] })
  say("begin")

  return {
    request(): Request {
      for (const attachment of setup.ready()) record({ kind: "attachment", ...attachment })
      const value = setup.value()
      // Also after going back: what requests of this conversation began with, they begin with.
      const logged = path.findLast((entry) => entry.kind === "setup" || entry.kind === "compaction")
      if (logged?.kind !== "setup") record({ kind: "setup", ...value })
      else expect(beginningOf(value)).toEqual(beginningOf(logged))
      const deferred = new Set(value.tools.flatMap((tool) => (tool.deferred ? [tool.name] : [])))
      for (const name of referencesIn(conversation.messages())) expect(deferred).toContain(name)
      const request: Request = {
        model,
        ...value,
        messages: conversation.messages(),
        maxTokens: 1_000,
        thinking: { type: "off" },
        delivery: "stream",
        repeat: 0,
      }
      const body = JSON.parse(new TextDecoder().decode(encoder.encode(request).body)) as JsonObject
      const decoded = decodeRequest(body)
      const segments = measure(decoded)
      expect(checkBody(decoded, segments, { headers: {}, purpose: "answer" })).toBeUndefined()
      // Whoever is told of a tool can call it.
      const callable = new Set(setup.tools().map(({ name }) => name))
      for (const { name } of value.tools) expect(callable).toContain(name)
      const last = before.get(model) ?? []
      expect(segments.slice(0, last.length).map(({ hash }) => hash)).toEqual(last.map(({ hash }) => hash))
      before.set(model, segments)
      return request
    },
    async act(one: Act): Promise<void> {
      switch (one.kind) {
        case "come": {
          const key = `${one.name} ${one.version}`
          const about = `${one.name}, version ${one.version}: a tool about a word. ${"x".repeat(wordsEach * 6)}`
          const tool = made.get(key) ?? toolNamed(`mcp__box__${one.name}`, about)
          made.set(key, tool)
          present = [...present.filter(({ name }) => name !== tool.name), tool]
          return
        }
        case "go":
          present = present.filter(({ name }) => name !== `mcp__box__${one.name}`)
          return
        case "leave":
          present = []
          return
        case "search": {
          const id = `toolu_${calls++}`
          const input = { query: one.query }
          const parsed = search?.parse(input)
          if (!search || !parsed?.ok) throw new Error("a search can be understood")
          const context = { callId: id, signal: new AbortController().signal, progress: () => {} }
          const outcome = await search.run(parsed.value, context)
          const usage = {
            input_tokens: 0,
            output_tokens: 0,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
          }
          const block = { type: "tool_use", id, name: "ToolSearch", input } as const
          record({ kind: "reply", messageId: id, model, block, usage })
          const { content, isError } = outcome
          record({ kind: "result", callId: id, tool: "ToolSearch", durationMs: 0, content, isError })
          return
        }
        case "compact": {
          const messages = conversation.messages()
          const from = messages.findLastIndex(
            ({ role }, at) => role === "assistant" && at >= messages.length - one.kept,
          )
          const tail = from < 0 ? [] : messages.slice(from)
          record({
            kind: "compaction",
            trigger: "manual",
            preTokens: 2,
            postTokens: 1,
            by: "extract",
            summary: "So far.",
            messages: [{ role: "user", content: [{ type: "text", text: "So far." }] }, ...tail],
            standing: [],
          })
          before.clear()
          return
        }
        case "back": {
          const to = Math.max(1, one.to % path.length)
          path = path.slice(0, to)
          refold([{ conversation }, { conversation: setup }], path)
          before.clear()
          return
        }
        case "model":
          model = models[one.model]
          return
      }
    },
  }
}

const toolNamed = (name: string, description: string): AnyTool => ({
  name,
  description,
  schema: { type: "object", properties: {} },
  parse: (value) => ({ ok: true, value }),
  title: () => name,
  footprint: () => touchesNothing(),
  run: async () => answered("done"),
  maxResultChars: 1_000,
})
