/** A message picked as the point up to which, or from which on, a conversation is summarized: the rest stays as it was said. */

import { expect, test } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import type { Op } from "#agent/words/op.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { inspect } from "#session/request/inspect.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"
import { complaints } from "../../kit/valid-messages.ts"

const asksForSummary = (messages: readonly unknown[]): boolean =>
  JSON.stringify(messages.at(-1)).includes("Write a summary that takes its place")

/** A call and an answer in each turn, and a summary when it is asked for. */
const worker: ScenarioFunction = (request) => {
  if (asksForSummary(request.messages))
    return says("<summary>The user has numbers printed, turn by turn; it was done with seq.</summary>")
  const last = request.messages.at(-1)?.content ?? []
  const turn = last
    .flatMap(({ text }) => (typeof text === "string" ? (/^turn (\d+)/.exec(text)?.[1] ?? []) : []))
    .at(-1)
  return turn === undefined ? says("Printed.") : calls(bash(`seq ${turn}000 ${turn}800 # turn by turn`))
}

const promptOf = (turn: number): string => `turn ${turn}: print «${turn}» and keep rule ${turn}`

async function opened(turns: number): Promise<TestSession> {
  const t = await openTestSession({ files: { "AGENTS.md": "The rule of the house." }, script: worker })
  for (let turn = 1; turn <= turns; turn++) await t.prompt(promptOf(turn))
  return t
}

const idOf = (t: TestSession, turn: number): string =>
  t.entries().flatMap((entry) => (entry.kind === "prompt" ? [entry.promptId] : []))[turn - 1] ?? "none"

async function compact(t: TestSession, op: Omit<Op & { type: "compact" }, "type">): Promise<void> {
  expect((await t.session.submit({ type: "compact", ...op })).ok).toBe(true)
  await t.settled()
}

const lastOf = (t: TestSession): readonly Message[] => t.requests().findLast((each) => !asksForSummary(each)) ?? []

const textsIn = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ content }) => content.flatMap((block) => (block.type === "text" ? [block.text] : [])))

const compactionsIn = (t: TestSession) => t.entries().filter((entry) => entry.kind === "compaction")

const notices = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))

/** Each of them once, and in their order. */
function expectSaid(t: TestSession, turns: number): void {
  const said = textsIn(lastOf(t)).filter((text) => text.startsWith("turn "))
  expect(said).toEqual(Array.from({ length: turns }, (_, i) => promptOf(i + 1)))
  expect(complaints(lastOf(t))).toEqual([])
  expect(t.simulator.stats().refusals).toBe(0)
  expect(inspect(t.entries()).filter(({ proved }) => !proved)).toEqual([])
}

test("up to a message: that one and what followed stay as they were, what was before becomes a summary", async () => {
  await using t = await opened(5)
  const before = lastOf(t)
  await compact(t, { upTo: idOf(t, 4) })
  const asked = JSON.stringify(t.requests().findLast(asksForSummary))
  expect(asked).toContain(promptOf(3))
  expect(asked).not.toContain(promptOf(4))
  expect(compactionsIn(t)).toMatchObject([{ trigger: "manual", by: "model", upTo: idOf(t, 4) }])

  await t.prompt(promptOf(6))
  const after = lastOf(t)
  const from = before.findIndex(({ content }) => JSON.stringify(content).includes("turn 4:"))
  // The message itself now follows the summary in one message; those after it are the very same.
  expect(after.slice(1, before.length - from)).toEqual(before.slice(from + 1))
  expect(textsIn(after).filter((text) => text.includes("The rule of the house."))).toHaveLength(1)
  // Not the number alone: an id may contain it.
  expect(JSON.stringify(after)).not.toContain("seq 3000")
  expect(JSON.stringify(after)).not.toContain("3000\\n3001")
  expect(JSON.stringify(after)).toContain("4000")
  expectSaid(t, 6)

  await using again = await t.reopen()
  await again.prompt(promptOf(7))
  expect(lastOf(again).slice(0, after.length - 1)).toEqual(after.slice(0, -1))
  await compact(again, {})
  await again.prompt(promptOf(8))
  expectSaid(again, 8)
})

test("from a message on: what was before it stays byte for byte", async () => {
  await using t = await opened(5)
  const before = lastOf(t)
  await compact(t, { from: idOf(t, 3), instructions: "mind the bees" })
  const asked = JSON.stringify(t.requests().findLast(asksForSummary))
  expect(asked).toContain(`what was before it stays as it is:\\n${promptOf(3)}`)
  expect(asked).toContain("mind the bees")

  await t.prompt(promptOf(6))
  const after = lastOf(t)
  const at = before.findIndex(({ content }) => JSON.stringify(content).includes("turn 3:"))
  expect(after.slice(0, at)).toEqual(before.slice(0, at))
  expect(JSON.stringify(after)).toContain("2000\\n2001")
  // Not the number alone: an id may contain it.
  expect(JSON.stringify(after)).not.toContain("seq 3000")
  expect(JSON.stringify(after)).not.toContain("3000\\n3001")
  expect(textsIn(after).filter((text) => text.includes("The rule of the house."))).toHaveLength(1)
  expectSaid(t, 6)

  await compact(t, {})
  await t.prompt(promptOf(7))
  expectSaid(t, 7)
})

test("a message that steered between a call and its result takes the call with it", async () => {
  await using t = await openTestSession({
    script: (request, context) => {
      if (asksForSummary(request.messages)) return worker(request, context)
      return context.request === 2 ? calls(bash("sleep 0.4; seq 2000 2800")) : worker(request, context)
    },
  })
  await t.prompt(promptOf(1))
  t.say(promptOf(2))
  await t.until((event) => event.type === "tool_start" && event.title.includes("2800"))
  t.say(promptOf(3), "steer")
  await t.settled()
  await t.prompt(promptOf(4))
  await compact(t, { upTo: idOf(t, 3) })
  await t.prompt(promptOf(5))
  expect(JSON.stringify(lastOf(t))).toContain("seq 2000 2800")
  expectSaid(t, 5)
})

test("where nothing can be done it is said, and nothing changes", async () => {
  await using t = await opened(3)
  const before = t.requests().length
  await compact(t, { upTo: idOf(t, 1) })
  await compact(t, { upTo: "no-such-prompt" })
  expect(notices(t)).toEqual([
    "There is nothing before that message to summarize.",
    expect.stringContaining("no longer in the conversation"),
  ])
  expect(t.requests()).toHaveLength(before)
  // From the first on is everything.
  await compact(t, { from: idOf(t, 1) })
  expect(compactionsIn(t)).toHaveLength(1)
  await compact(t, { upTo: idOf(t, 2) })
  expect(notices(t).at(-1)).toContain("summarized before")
  await t.prompt(promptOf(4))
  expectSaid(t, 4)
  // It is undone like any other.
  expect((await t.session.submit({ type: "uncompact" })).ok).toBe(true)
  await t.settled()
  await t.prompt(promptOf(5))
  expect(JSON.stringify(lastOf(t))).toContain("2000")
})

test("a summary that will not do is replaced by an extract of that part alone", async () => {
  await using t = await openTestSession({
    script: (request, context) => (asksForSummary(request.messages) ? says("") : worker(request, context)),
  })
  for (let turn = 1; turn <= 4; turn++) await t.prompt(promptOf(turn))
  await compact(t, { upTo: idOf(t, 3) })
  const [done] = compactionsIn(t)
  expect(done).toMatchObject({ by: "extract", failure: expect.stringContaining("empty") })
  expect(done?.summary).toContain("seq 2000")
  expect(done?.summary).not.toContain("seq 3000")
  await t.prompt(promptOf(5))
  expectSaid(t, 5)
})
