/** The kit by itself: what it records for which log, with a model that answers from a list. */

import { expect, test } from "bun:test"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { refold, notifyFollowers } from "#agent/words/follower.ts"
import type { ModelEvent, Request, Usage } from "#agent/words/model.ts"
import { weightless } from "#agent/words/weight.ts"
import { openFiles } from "#ground/workspace/files.ts"
import { openStamps } from "#ground/workspace/stamps.ts"
import { type Compaction, compactionKit, type CompactionPorts } from "#kits/compaction/kit.ts"
import { shrink } from "#kits/compaction/shrink.ts"
import { openConversation } from "#kits/context/assemble.ts"
import { systemClock } from "#lib/clock.ts"
import { systemIds } from "#lib/ids.ts"
import { failed, ok } from "#lib/result.ts"
import { type Meter, openMeter } from "#session/request/meter.ts"
import { openStanding } from "#session/journal/standing.ts"
import { temporaryFolder } from "../../../kit/tmp.ts"

const usage: Usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
const never = new AbortController().signal

interface Bench {
  readonly kit: Compaction
  readonly entries: Entry[]
  readonly asked: Request[]
  readonly record: (body: EntryBody) => Entry
  readonly text: () => string
  readonly meter: Meter
}

function openBench(
  given: Partial<CompactionPorts> & { readonly answer?: string; readonly now?: () => number } = {},
): Bench {
  const entries: Entry[] = []
  const asked: Request[] = []
  const conversation = openConversation({ shrink })
  const clock = { ...systemClock, now: given.now ?? systemClock.now }
  const meter = openMeter({
    messages: conversation.messages,
    fixed: () => ({ ...weightless, tokens: 100, most: 100 }),
    isAwake: () => true,
  })
  const standing = openStanding()
  const record = (body: EntryBody): Entry => {
    const entry: Entry = { ...body, uuid: String(entries.length), parentUuid: null, at: clock.now() }
    entries.push(entry)
    conversation.onEntry(entry)
    notifyFollowers([meter, standing, kit], entry)
    return entry
  }
  async function* answer(): AsyncGenerator<ModelEvent> {
    const text = given.answer ?? "The user asked to build the bridge; the beams were measured and one request is open."
    yield { type: "message_start", id: "m", model: "x", usage }
    yield { type: "block_start", index: 0, block: { type: "text", text: "" } }
    yield { type: "text_delta", index: 0, text }
    yield { type: "message_delta", stopReason: "end_turn", usage }
    yield { type: "message_stop" }
  }
  const kit = compactionKit({
    choice: { when: "auto", trigger: { kind: "formula" } },
    window: () => ({ window: 20_000, maxOutput: 2_000, cacheKeptMs: 5 * 60_000 }),
    model: {
      stream(request) {
        asked.push(request)
        return answer()
      },
    },
    reserve: async ({ maxTokens: maxOutput }) => ok({ maxOutput, settle: () => undefined }),
    reserveAhead: async ({ maxTokens: maxOutput }) => ok({ maxOutput, settle: () => undefined }),
    mayPrepare: () => false,
    isAwake: () => true,
    sent: () => {},
    report: () => {},
    messages: conversation.messages,
    ordinary: () => ({
      model: "x",
      system: [{ text: "system" }],
      tools: [],
      messages: conversation.messages(),
      maxTokens: 2_000,
      thinking: { type: "off" },
      delivery: "stream",
      repeat: 0,
    }),
    fixedTokens: () => 100,
    contextTokens: () => meter.next().tokens,
    todos: standing.todos,
    plan: standing.plan,
    keep: async (callId) => ok(`/kept/${callId}.txt`),
    files: openFiles({ cwd: () => "/", clock, ids: systemIds }),
    stamps: openStamps(),
    paths: { show: (path) => path },
    context: async () => [{ name: "user_context", text: "Memory: always answer in verse." }],
    sourceOf: conversation.sourceOf,
    isContext: (name) => name === "user_context",
    running: () => [],
    standing: () => [{ kind: "mode", mode: "default" }],
    transcript: undefined,
    record,
    clock,
    ...given,
  })
  return { kit, entries, asked, record, text: () => JSON.stringify(conversation.messages()), meter }
}

const says = ({ record }: Bench, text: string): void =>
  void record({ kind: "prompt", promptId: text, content: [{ type: "text", text }] })

function answers({ record }: Bench, text: string, more: Partial<Usage> = {}): void {
  record({ kind: "reply", messageId: text.slice(0, 8), model: "x", block: { type: "text", text }, usage })
  const all = { ...usage, ...more }
  record({
    kind: "reply_end",
    messageId: text.slice(0, 8),
    model: "x",
    stopReason: "end_turn",
    usage: all,
    durationMs: 1,
  })
}

const fill = (bench: Bench): void => answers(bench, `bridge beams ${"measured ".repeat(20)}`, { input_tokens: 16_000 })
const kinds = ({ entries }: Bench): readonly string[] => entries.map(({ kind }) => kind)

test("plan, todos, memory and running tasks are carried, the plan as it is on disk", async () => {
  using folder = temporaryFolder()
  await Bun.write(folder.join("plan.md"), "# Plan\n1. measure «twice»\n")
  const bench = openBench({ running: () => [{ id: "bash_7", what: "make watch" }] })
  says(bench, "build the bridge request")
  bench.record({ kind: "plan", change: "approved", slug: "bridge", path: folder.join("plan.md") })
  bench.record({ kind: "todo", todos: [{ content: "Lay beams", status: "pending", activeForm: "Laying" }] })
  fill(bench)
  expect(await bench.kit.beforeRequest(never)).toBeUndefined()
  expect(kinds(bench).at(-1)).toBe("compaction")
  for (const words of [
    "measure «twice»",
    "Lay beams",
    "bash_7: make watch",
    "always answer in verse",
    "build the bridge",
  ])
    expect(bench.text()).toContain(words)
  expect(bench.meter.next().tokens).toBeLessThan(3_000)
})

test("what was carried is carried again, when the log is read from the compaction on", async () => {
  const first = openBench()
  says(first, "build the bridge request")
  says(first, "  and paint it \n")
  fill(first)
  await first.kit.beforeRequest(never)
  const compaction = first.entries.at(-1)
  if (compaction?.kind !== "compaction") throw new Error("no compaction")

  const second = openBench()
  second.record(compaction)
  says(second, "third beams request")
  fill(second)
  await second.kit.beforeRequest(never)
  const texts = second.entries.at(-1)
  expect(texts?.kind).toBe("compaction")
  for (const words of ["build the bridge request", "  and paint it \\n", "third beams request"])
    expect(second.text()).toContain(words)
})

test("nothing is tried twice without an answer in between, nor before the first answer", async () => {
  const bench = openBench()
  says(bench, "x".repeat(80_000))
  expect(await bench.kit.beforeRequest(never)).toBeUndefined()
  expect(bench.asked).toHaveLength(0)
  answers(bench, "bridge", { input_tokens: 17_000 })
  await bench.kit.beforeRequest(never)
  await bench.kit.beforeRequest(never)
  await bench.kit.beforeRequest(never)
  // The prompt alone fills the window: it cannot be made smaller, which is said once.
  expect(bench.asked).toHaveLength(1)
  expect(bench.entries.filter(({ kind }) => kind === "notice")).toHaveLength(1)
  expect(bench.entries.at(-1)).toMatchObject({ about: "compaction_failed" })
})

test("what cannot be made smaller is given up after three answers, and then prompts are refused", async () => {
  const bench = openBench()
  says(bench, "x".repeat(80_000))
  for (let i = 0; i < 5; i++) {
    answers(bench, `bridge ${i}`, { input_tokens: 20_000 })
    await bench.kit.beforeRequest(never)
  }
  expect(bench.asked).toHaveLength(3)
  expect(await bench.kit.beforeRequest(never)).toMatchObject({ reason: "error", cause: "context_full" })
})

test("a summary that leaves too much counts as a failure, and is not tried before every request", async () => {
  const bench = openBench()
  says(bench, "x".repeat(60_000))
  for (let i = 0; i < 6; i++) {
    answers(bench, `bridge ${i} ${"beams ".repeat(8_000)}`, { input_tokens: 40_000 })
    await bench.kit.beforeRequest(never)
  }
  const compactions = bench.entries.filter((entry) => entry.kind === "compaction")
  expect(compactions.map(({ failure }) => failure !== undefined)).toEqual([true, true, true])
  expect(bench.asked).toHaveLength(3)
})

test("after a long pause old results become lines that name a file, and say so in the log", async () => {
  let now = 1_000_000
  const bench = openBench({ now: () => now })
  says(bench, "read")
  for (let i = 0; i < 6; i++) {
    const block = { type: "tool_use", id: `c${i}`, name: "Read", input: { file_path: `f${i}` } } as const
    bench.record({ kind: "reply", messageId: `m${i}`, model: "x", block, usage })
    const content = `${i}`.repeat(6_000)
    bench.record({ kind: "result", callId: `c${i}`, tool: "Read", content, isError: false, durationMs: 1 })
    bench.record({ kind: "reply_end", messageId: `m${i}`, model: "x", stopReason: "tool_use", usage, durationMs: 1 })
  }
  await bench.kit.beforeRequest(never)
  expect(kinds(bench)).not.toContain("stub")
  now += 6 * 60_000
  await bench.kit.beforeRequest(never)
  expect(bench.entries.at(-1)).toMatchObject({
    kind: "stub",
    stubs: [{ callId: "c0" }, { callId: "c1" }, { callId: "c2" }],
  })
  expect(bench.text()).toContain(
    "[The result of Read f0 was left out to make room: about 1500 tokens. All of it is in /kept/c0.txt.]",
  )
  expect(bench.text()).not.toContain("0".repeat(6_000))
  expect(bench.text()).toContain("3".repeat(6_000))
})

test("without a budget an extract is made; an interrupt leaves everything as it was", async () => {
  const poor = openBench({ reserve: async () => failed("The cap of $1 is reached.") })
  says(poor, "build the bridge")
  fill(poor)
  await poor.kit.beforeRequest(never)
  expect(poor.entries.at(-1)).toMatchObject({ kind: "compaction", by: "extract", failure: "The cap of $1 is reached." })

  const stopped = openBench()
  says(stopped, "build the bridge")
  fill(stopped)
  const before = stopped.entries.length
  const interrupt = new AbortController()
  interrupt.abort()
  await stopped.kit.beforeRequest(interrupt.signal)
  expect(stopped.entries).toHaveLength(before)
})

test("hooks add instructions and context, or stop it", async () => {
  const bench = openBench({
    hooks: {
      preCompact: async ({ trigger, instructions }) => ({ instructions: `${trigger} ${instructions ?? ""} hooked` }),
      sessionStart: async (source) => [`started after ${source}`],
    },
  })
  says(bench, "build the bridge")
  fill(bench)
  expect(await bench.kit.compact({ instructions: "mind the beams" }, never)).toEqual(ok(undefined))
  const asked = JSON.stringify(bench.asked[0]?.messages.at(-1))
  expect(asked).toContain("mind the beams\\nmanual mind the beams hooked")
  expect(bench.text()).toContain("started after compact")

  const blocked = openBench({ hooks: { preCompact: async () => ({ blocked: "not today" }) } })
  says(blocked, "build the bridge")
  fill(blocked)
  expect(await blocked.kit.compact({}, never)).toEqual(failed("A hook stopped the compaction: not today"))
})

test("turned off altogether, it refuses by hand too", async () => {
  const bench = openBench({ choice: { when: "never", trigger: { kind: "formula" } } })
  says(bench, "build")
  fill(bench)
  expect((await bench.kit.compact({}, never)).ok).toBe(false)
  expect(bench.asked).toHaveLength(0)
})

test("after a rewind only what is on the path is carried", async () => {
  const bench = openBench()
  says(bench, "first request")
  const first = bench.entries.at(-1)
  says(bench, "taken back")
  refold([bench.kit], first ? [first] : [])
  fill(bench)
  await bench.kit.compact({}, never)
  const done = bench.entries.at(-1)
  expect(done?.kind === "compaction" && done.said).toHaveLength(1)
})

test("results that come while an answer still goes on count for the size", () => {
  const bench = openBench()
  says(bench, "go")
  const block = { type: "tool_use", id: "c", name: "Read", input: {} } as const
  bench.record({ kind: "reply", messageId: "m", model: "x", block, usage })
  bench.record({ kind: "result", callId: "c", tool: "Read", content: "x".repeat(4_000), isError: false, durationMs: 1 })
  bench.record({ kind: "reply_end", messageId: "m", model: "x", stopReason: "tool_use", usage, durationMs: 1 })
  expect(bench.meter.next().tokens).toBe(15 + 1_000)
})

test("of the files that were read, those that are not shown again must be read before they are changed", async () => {
  using folder = temporaryFolder()
  const stamps = openStamps()
  const bench = openBench({ stamps, window: () => ({ window: 200_000, maxOutput: 2_000 }) })
  const paths = ["a", "b", "c", "d", "e", "f", "g"].map((name) => folder.join(`${name}.txt`))
  const files = openFiles({ cwd: () => "/", clock: systemClock, ids: systemIds })
  for (const path of paths) {
    await Bun.write(path, `${path}\n`)
    const read = await files.read(path, 1_000, never)
    if (!read.ok) throw new Error("not read")
    const { identity, at } = read.value
    stamps.put(path, { identity, hash: undefined, text: `${path}\n`, shown: { offset: 1, limit: undefined }, at })
  }
  says(bench, "build the bridge request")
  answers(bench, `bridge beams ${"measured ".repeat(8_000)}`, { input_tokens: 60_000 })
  expect(await bench.kit.compact({}, never)).toEqual(ok(undefined))
  const done = bench.entries.at(-1)
  const shown = paths.slice(2)
  expect(done?.kind === "compaction" && done.files?.toSorted()).toEqual(shown)
  expect(stamps.entries().map(([path]) => path)).toEqual(shown)
})
