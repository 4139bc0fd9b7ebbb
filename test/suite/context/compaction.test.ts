/** Conversations longer than the window: they go on, and nothing that a person said, listed or started is lost. */

import { describe, expect, test } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import type { Message } from "#agent/words/message.ts"
import type { ModelFacts } from "#agent/words/model.ts"
import { claudeFacts } from "#ground/models/anthropic/releases.ts"
import type { ScenarioFunction, ScenarioReply } from "#sim/scenario.ts"
import type { SimRequest } from "#sim/request.ts"
import { inspect } from "#session/request/inspect.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { atNight } from "../../kit/runs.ts"
import { bash, calls, read, says, use, write } from "../../kit/script.ts"

const smallWindow = (model: string): ModelFacts => ({ ...claudeFacts(model), window: 60_000, maxOutput: 8_000 })

/** Full after a few turns. */
const tinyWindow = (model: string): ModelFacts => ({ ...claudeFacts(model), window: 34_000, maxOutput: 8_000 })

const isSummaryRequest = ({ messages }: Pick<SimRequest, "messages">): boolean =>
  JSON.stringify(messages.at(-1)).includes("Write a summary that takes its place")

const goodSummary = says(
  `<summary>\n1. Request and intent: the user wants the numbers printed, turn by turn, within the constraints they set.\n8. Current work: printing numbers with Bash.\n</summary>`,
)

/** Long answers: results alone would give way to lines before the window is full. */
const printed = `Printed. ${"The sums of this turn are right. ".repeat(260)}`

/** Prints something in each turn; the first also makes a list and starts something that goes on. */
const worker =
  (summary: ScenarioReply | (() => ScenarioReply)): ScenarioFunction =>
  (request) => {
    if (isSummaryRequest(request)) return typeof summary === "function" ? summary() : summary
    const last = request.messages.at(-1)?.content ?? []
    if (last.some(({ type }) => type === "tool_result") && !last.some(isPrompt)) return says(printed)
    const text = JSON.stringify(last)
    if (text.includes("turn 1:"))
      return calls(
        use("TodoWrite", {
          todos: [
            { content: 'Print «every» number "exactly"', status: "in_progress", activeForm: "Printing" },
            { content: "Check the sums", status: "pending", activeForm: "Checking" },
          ],
        }),
        use("Bash", { command: "sleep 300 # the watcher", run_in_background: true }),
        read("notes.txt"),
      )
    const number = /turn (\d+):/.exec(text)?.[1] ?? "0"
    return calls(bash(`seq ${number}000 ${number}999`))
  }

/** The plan file of a session without chance, as seen from the project. */
const planPath = "../state/plans/agile-adding-acorn.md"
const plan = "# Plan «exactly»\n\n1. Print\tthe numbers  \n2. Never touch `sums.txt`\n"

const isPrompt = ({ type, text }: { readonly type?: unknown; readonly text?: unknown }): boolean =>
  type === "text" && typeof text === "string" && text.startsWith("turn ")

const promptOf = (turn: number): string =>
  `turn ${turn}: keep rule ${turn}·β — never touch "file-${turn}.txt"\n  \tand mind the ${turn} spaces${" ".repeat(turn)}.`

async function takeTurns(t: TestSession, from: number, to: number): Promise<void> {
  for (let turn = from; turn <= to; turn++) expect(await t.prompt(promptOf(turn))).toEqual({ reason: "completed" })
}

/** Turns until there was a compaction; gives how many. */
async function takeTurnsUntilCompacted(t: TestSession): Promise<number> {
  for (let turn = 1; turn <= 30; turn++) {
    await takeTurns(t, turn, turn)
    if (compactionsIn(t.entries()).length > 0) return turn
  }
  throw new Error("there was no compaction")
}

const compactionsIn = (entries: readonly Entry[]) => entries.filter((entry) => entry.kind === "compaction")

/** Every text of the conversation, block by block. */
const textsIn = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ content }) => content.flatMap((block) => (block.type === "text" ? [block.text] : [])))

const asksForSummary = (messages: readonly Message[]): boolean =>
  JSON.stringify(messages.at(-1)).includes("Write a summary that takes its place")

const summaryRequests = (t: TestSession): readonly (readonly Message[])[] => t.requests().filter(asksForSummary)

const ordinaryRequests = (t: TestSession): readonly (readonly Message[])[] =>
  t.requests().filter((messages) => !asksForSummary(messages))

const failing: { readonly [name: string]: { readonly reply: ScenarioReply; readonly failure: string } } = {
  "is empty": { reply: says(" "), failure: "empty" },
  "calls tools instead": { reply: calls(bash("touch called")), failure: "empty" },
  "is garbage": { reply: says("%&/ 8293 §§§ zxqv ]]][ ~~~ ".repeat(20)), failure: "no sense" },
  "says one word for ever": { reply: says("and ".repeat(4_000)), failure: "no sense" },
  "speaks of something else": {
    reply: says("Lorem ipsum dolor amet consectetur adipiscing elit vivamus vestibulum sagittis eros."),
    failure: "no sense",
  },
  "is longer than the conversation": {
    reply: says("The numbers were printed in turns. ".repeat(3_000)),
    failure: "longer",
  },
  "is cut off": {
    reply: { content: "<summary>1. Request: the numbers", stopReason: "max_tokens" },
    failure: "cut off",
  },
  "is refused": { reply: { content: "No.", stopReason: "refusal" }, failure: "refused" },
  "is a broken stream": { reply: { content: "The numbers", fault: "reset_mid_event" }, failure: "" },
}

describe("forty turns past the window", () => {
  test("what was said, listed and started is in the next request, byte for byte", async () => {
    const work = worker(goodSummary)
    const planning = [calls(use("EnterPlanMode", {})), calls(write(planPath, plan)), calls(use("ExitPlanMode", {}))]
    await using t = await openTestSession({
      files: { "notes.txt": "the notes that were read last\n", "AGENTS.md": "Never «ever» use tabs.\n" },
      script: (request, context) => planning.shift() ?? work(request, context),
      model: { factsOf: smallWindow },
      random: () => 0,
      answers: ({ ask }) => (ask.kind === "plan" ? { kind: "approve", mode: "acceptEdits", wishes: [] } : undefined),
    })
    expect(await t.prompt("first make a plan")).toEqual({ reason: "completed" })
    await takeTurns(t, 1, 40)
    const done = compactionsIn(t.entries())
    // Whenever there was one, the model said something before the next.
    const beats = t.entries().flatMap(({ kind }) => (kind === "compaction" || kind === "reply_end" ? [kind] : []))
    expect(beats.join(" ")).not.toContain("compaction compaction")
    expect(done.length).toBeGreaterThan(1)
    for (const { by, preTokens, postTokens, failure } of done) {
      expect({ by, failure }).toEqual({ by: "model", failure: undefined })
      expect(postTokens).toBeLessThan(Math.min(50_000, preTokens / 2))
    }

    const last = ordinaryRequests(t).at(-1) ?? []
    const texts = textsIn(last)
    for (let turn = 1; turn <= 40; turn++) expect(texts.filter((text) => text === promptOf(turn))).toHaveLength(1)
    const all = texts.join("\n")
    expect(all).toContain('1. [in_progress] Print «every» number "exactly"\n2. [pending] Check the sums')
    expect(all).toContain("bash_1: sleep 300 # the watcher")
    expect(texts).toContain("first make a plan")
    expect(all).toContain(`The plan in ${t.path(planPath)}, which the user approved:\n${plan}`)
    expect(all).toContain("the user wants the numbers printed, turn by turn")
    expect(all).toContain(t.logPath)
    expect(all).toContain("Never «ever» use tabs.")
    expect(JSON.stringify(last)).toContain("the notes that were read last")
    expect(t.simulator.stats().refusals).toBe(0)
    // What was sent for the summaries is listed with the rest, and proved.
    const inspected = inspect(t.entries())
    // A summary that is made ahead may still be on its way.
    while (t.requests().length < inspected.length) await Bun.sleep(5)
    expect(inspected).toHaveLength(t.requests().length)
    expect(inspected.filter(({ proved }) => !proved)).toEqual([])
  })

  test("a resume goes on with the same conversation, and the next compaction with the same words", async () => {
    await using t = await openTestSession({
      files: { "notes.txt": "notes\n" },
      script: worker(goodSummary),
      model: { factsOf: tinyWindow },
    })
    await takeTurns(t, 1, 7)
    expect(compactionsIn(t.entries())).not.toHaveLength(0)
    const before = ordinaryRequests(t).at(-1) ?? []
    await using again = await t.reopen()
    await takeTurns(again, 8, 8)
    const after = ordinaryRequests(again).at(-1) ?? []
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
    await takeTurns(again, 9, 16)
    const texts = textsIn(ordinaryRequests(again).at(-1) ?? [])
    for (let turn = 1; turn <= 16; turn++) expect(texts).toContain(promptOf(turn))
    expect(compactionsIn(again.entries()).length).toBeGreaterThan(1)
    expect(again.simulator.stats().refusals).toBe(0)
  })
})

describe("a summary that will not do", () => {
  for (const [name, { reply, failure }] of Object.entries(failing))
    test(`${name}: an extract takes its place at once`, async () => {
      await using t = await openTestSession({
        files: { "notes.txt": "notes\n" },
        script: worker(reply),
        model: { factsOf: tinyWindow },
      })
      const turns = await takeTurnsUntilCompacted(t)
      const [first] = compactionsIn(t.entries())
      expect(first?.by).toBe("extract")
      expect(first?.failure).toContain(failure)
      expect(first?.postTokens).toBeLessThan(50_000)
      const texts = textsIn(ordinaryRequests(t).at(-1) ?? [])
      for (let turn = 1; turn <= turns; turn++) expect(texts).toContain(promptOf(turn))
      expect(texts.join("\n")).toContain("- Bash seq")
      expect(t.simulator.stats().refusals).toBe(0)
      expect(await Bun.file(t.path("called")).exists()).toBe(false)
    })

  test("three in a row stop it for the session, also after a resume; by hand it still works", async () => {
    let summary: ScenarioReply = says("")
    await using t = await openTestSession({
      files: { "notes.txt": "notes\n" },
      script: worker(() => summary),
      model: { factsOf: tinyWindow },
      compaction: { when: "auto", trigger: { kind: "percent", percent: 60 } },
    })
    let turn = 1
    const untilFull = async (session: TestSession): Promise<void> => {
      for (; turn < 80; turn++) {
        const end = await session.prompt(promptOf(turn))
        if (end.reason === "completed") continue
        expect(end).toMatchObject({ reason: "error", cause: "context_full" })
        return
      }
    }
    await takeTurns(t, 1, 6)
    turn = 7
    await using again = await t.reopen()
    await untilFull(again)
    expect(compactionsIn(again.entries()).map(({ by }) => by)).toEqual(["extract", "extract", "extract"])
    expect(again.story().filter((line) => line.includes("failed three times"))).toHaveLength(1)

    summary = goodSummary
    expect((await again.session.submit({ type: "compact" })).ok).toBe(true)
    await again.settled()
    expect(compactionsIn(again.entries()).at(-1)).toMatchObject({ trigger: "manual", by: "model" })
    expect(await again.prompt(promptOf(turn))).toEqual({ reason: "completed" })
  })
})

test("a summary request that is too long is made again without the oldest turns, three times at most", async () => {
  let refused = 0
  await using t = await openTestSession({
    files: { "notes.txt": "notes\n" },
    script: worker(() => (refused++ < 3 ? { content: "", fault: "too_long" } : goodSummary)),
    model: { factsOf: tinyWindow },
  })
  const turns = await takeTurnsUntilCompacted(t)
  const [first] = compactionsIn(t.entries())
  expect(first).toMatchObject({ by: "model" })
  const sizes = summaryRequests(t)
    .slice(0, 4)
    .map((messages) => JSON.stringify(messages).length)
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
  expect(new Set(sizes).size).toBe(4)
  const texts = textsIn(ordinaryRequests(t).at(-1) ?? [])
  for (let turn = 1; turn <= turns; turn++) expect(texts).toContain(promptOf(turn))
  expect(inspect(t.entries()).filter(({ proved }) => !proved)).toEqual([])
  expect(t.simulator.stats().refusals).toBe(0)
})

test("the summary is asked for with the cached prefix, and with nothing but one more question", async () => {
  await using t = await openTestSession({
    files: { "notes.txt": "notes\n" },
    script: worker(goodSummary),
    model: { factsOf: tinyWindow },
  })
  await takeTurnsUntilCompacted(t)
  const index = t.simulator.requests.findIndex(({ body }) =>
    JSON.stringify(body).includes("Write a summary that takes"),
  )
  const asked = t.simulator.requests[index]
  const before = t.simulator.requests[index - 1]
  const head = (body: unknown) => {
    const { messages: _messages, max_tokens: _most, ...rest } = body as { messages: unknown; max_tokens: unknown }
    return rest
  }
  expect(head(asked?.body)).toEqual(head(before?.body))
  if (asked?.answered.kind !== "reply") throw new Error("the summary was not answered")
  const {
    cache_read_input_tokens: cached,
    input_tokens: fresh,
    cache_creation_input_tokens: kept,
  } = asked.answered.usage
  expect(cached / (cached + fresh + kept)).toBeGreaterThan(0.85)
})

test("with compaction by hand only, a full window refuses further prompts until it is compacted or cleared", async () => {
  await using t = await openTestSession({
    files: { "notes.txt": "notes\n" },
    script: worker(goodSummary),
    model: { factsOf: tinyWindow },
    compaction: { when: "manual", trigger: { kind: "formula" } },
  })
  let turn = 1
  for (; turn < 60; turn++) if ((await t.prompt(promptOf(turn))).reason !== "completed") break
  const sent = t.requests().length
  expect(await t.prompt("more")).toMatchObject({ reason: "error", cause: "context_full" })
  expect(t.requests()).toHaveLength(sent)
  expect(compactionsIn(t.entries())).toEqual([])

  void t.session.submit({ type: "compact", instructions: "mind the bees" })
  await t.settled()
  expect(JSON.stringify(summaryRequests(t))).toContain("mind the bees")
  expect(await t.prompt("and now?")).toEqual({ reason: "completed" })
})

test("a compaction can be undone: the conversation goes on as it was", async () => {
  await using t = await openTestSession({ files: { "notes.txt": "notes\n" }, script: worker(goodSummary) })
  await takeTurns(t, 1, 4)
  const before = ordinaryRequests(t).at(-1) ?? []
  for (const type of ["compact", "uncompact"] as const) {
    expect((await t.session.submit({ type })).ok).toBe(true)
    await t.settled()
  }
  expect(compactionsIn(t.entries())).toHaveLength(1)
  await takeTurns(t, 5, 5)
  const after = ordinaryRequests(t).at(-1) ?? []
  expect(after.slice(0, before.length)).toEqual([...before])
})

test("a long conversation becomes less than 50,000 tokens, with the files read last, and the work goes on", async () => {
  // As much text in fewer requests by day, each of which has all that came before.
  const [count, lines] = atNight([200, 140], [70, 400])
  const names = Array.from({ length: count }, (_, i) => `lib/f${i}.txt`)
  let next = 0
  await using t = await openTestSession({
    files: Object.fromEntries(names.map((name, i) => [name, `content of ${i}\n`.repeat(lines)])),
    script: (request) => {
      if (isSummaryRequest(request))
        return says("<summary>The user wants all files of lib read; all content was read.</summary>")
      const name = names[next++]
      return name === undefined ? says("All read.") : calls(read(name))
    },
    limits: { maxTurns: count + 2 },
  })
  expect(await t.prompt("read all files of lib, and never write")).toEqual({ reason: "completed" })
  void t.session.submit({ type: "compact" })
  await t.settled()
  const [done] = compactionsIn(t.entries())
  expect(done?.preTokens).toBeGreaterThan(50_000)
  expect(done?.postTokens).toBeLessThan(50_000)
  expect(done?.files).toEqual(names.slice(-5).toReversed().map(t.path))
  await t.prompt("and again, one more")
  const last = JSON.stringify(ordinaryRequests(t).at(-1))
  for (const words of ["read all files of lib, and never write", "and again, one more", `content of ${count - 1}`])
    expect([words, last.includes(words)]).toEqual([words, true])
  expect(t.simulator.stats().refusals).toBe(0)
})

test("a provider that finds the conversation too long is answered with a compaction, once", async () => {
  await using t = await openTestSession({
    files: { "notes.txt": "notes\n" },
    script: worker(goodSummary),
  })
  await takeTurns(t, 1, 6)
  t.simulator.setFaults(["too_long"])
  await takeTurns(t, 7, 7)
  expect(compactionsIn(t.entries()).map(({ by, trigger }) => `${trigger} ${by}`)).toEqual(["auto model"])
  expect(t.entries().some(({ kind }) => kind === "shrink")).toBe(false)
})

test("what a summary costs is part of what the session costs", async () => {
  await using t = await openTestSession({
    files: { "notes.txt": "notes\n" },
    script: worker(goodSummary),
    model: { factsOf: tinyWindow },
  })
  await takeTurnsUntilCompacted(t)
  const replies = t.entries().reduce((sum, entry) => sum + (entry.kind === "reply_end" ? (entry.costUsd ?? 0) : 0), 0)
  const { costUsd } = await t.ask({ type: "state" })
  expect(costUsd).toBeGreaterThan(replies)
  await using again = await t.reopen()
  expect((await again.ask({ type: "state" })).costUsd).toBeCloseTo(costUsd, 10)
})
