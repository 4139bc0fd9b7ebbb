/** A summary that is made while the user thinks: when it is made, when it is used, and that it is never paid for twice. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { Entry } from "#agent/words/entry.ts"
import type { Message } from "#agent/words/message.ts"
import { recordedMemory } from "#session/replay/recorded-memory.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openTestSession, type TestSession, type TestSessionOptions } from "../../kit/open-test-session.ts"
import { playAgain } from "../../kit/play-again.ts"
import { runs } from "../../kit/runs.ts"
import { calls, says } from "../../kit/script.ts"

const sentence = "The sums of this turn are right, and the list has one more line. "
const summary = "Noted the next number, turn by turn; the sums are right, and the list has one more line."

const asksForSummary = (messages: readonly unknown[]): boolean =>
  JSON.stringify(messages.at(-1)).includes("Write a summary that takes its place")

/** Answers "turn 3 of 20, calls" with a call if it says so, and then with twenty sentences. */
const worker: ScenarioFunction = ({ messages }) => {
  if (asksForSummary(messages)) return says(`<summary>${summary}</summary>`)
  const last = JSON.stringify(messages.at(-1))
  const said = [...JSON.stringify(messages.slice(-3)).matchAll(/turn (\d+) of (\d+)(, calls)?/g)].at(-1)
  const [, turn = "", length = "1", wish] = said ?? []
  if (wish !== undefined && !last.includes("tool_result"))
    return calls({ tool: "Bash", input: { command: `echo number ${turn}` }, id: `call_${turn}` })
  return says(sentence.repeat(Number(length)))
}

const options = {
  script: worker,
  answers: () => undefined,
  facts: { window: 34_000, maxOutput: 8_000 },
  memory: { session: false },
} as const satisfies TestSessionOptions

const ofKind = <K extends Entry["kind"]>(t: TestSession, kind: K): readonly (Entry & { readonly kind: K })[] =>
  t.entries().filter((entry): entry is Entry & { readonly kind: K } => entry.kind === kind)
const summariesAsked = (t: TestSession): number => t.requests().filter(asksForSummary).length
const isAsked = (t: TestSession): boolean => ofKind(t, "request").some((entry) => entry.summary?.ahead)
const untilReady = (t: TestSession) => t.until((event) => event.type === "entry" && event.entry.kind === "summary")

/** Talks until a summary was made ahead: after how many turns, and which comes next. It is asked for beside the work, so perhaps a turn later. */
async function untilPrepared(
  t: TestSession,
  turns: (number: number) => string = usual,
): Promise<{ readonly made: number; readonly next: number }> {
  for (let turn = 1; turn < 80; turn++) {
    await t.prompt(turns(turn))
    if (!isAsked(t)) continue
    await untilReady(t)
    const covers = ofKind(t, "summary").at(-1)?.covers ?? 0
    let made = 0
    for (let messages = 0; messages < covers; made++) messages += turns(made + 1).endsWith(", calls") ? 4 : 2
    return { made, next: turn + 1 }
  }
  throw new Error("none was made")
}

async function untilCompacted(
  t: TestSession,
  from: number,
  turns: (number: number) => string = usual,
): Promise<number> {
  for (let turn = from; turn < from + 80; turn++) {
    await t.prompt(turns(turn))
    if (ofKind(t, "compaction").length > 0) return turn
  }
  throw new Error("it was never compacted")
}

const usual = (turn: number): string => `turn ${turn} of ${turn === 1 ? 400 : 25}`

test("it is made once the turn is over, and used when there is no room: nobody waits, and it is paid for once", async () => {
  await using t = await openTestSession(options)
  const { made, next } = await untilPrepared(t)
  expect(ofKind(t, "compaction")).toEqual([])
  const last = await untilCompacted(t, next)
  expect(last).toBeGreaterThan(made + 1)
  expect(summariesAsked(t)).toBe(1)
  const [compaction] = ofKind(t, "compaction")
  expect(compaction).toMatchObject({ by: "model", trigger: "auto", summary, covers: 2 * made })
  const sent = JSON.stringify(t.requests().at(-1))
  for (let turn = made + 1; turn <= last; turn++) expect(sent).toContain(`"turn ${turn} of 25"`)
  const state = await t.ask({ type: "state" })
  expect(Object.keys(state.agents).toSorted()).toEqual(["background compaction", "main"])
  expect(state.costUsd).toBeGreaterThan(0)
})

test("the user's own /compact uses it at once; one with instructions asks anew", async () => {
  await using t = await openTestSession(options)
  await untilPrepared(t)
  await t.session.submit({ type: "compact" })
  await t.settled()
  expect(ofKind(t, "compaction")).toMatchObject([{ trigger: "manual", by: "model", summary }])
  expect(summariesAsked(t)).toBe(1)

  await using other = await openTestSession(options)
  await untilPrepared(other)
  await other.session.submit({ type: "compact", instructions: "mind the list" })
  await other.settled()
  expect(summariesAsked(other)).toBe(2)
  expect(ofKind(other, "compaction")[0]?.covers).toBeUndefined()
})

test("another process that continues the session uses it; one that was cut off is not asked for again", async () => {
  await using first = await openTestSession(options)
  const { made, next } = await untilPrepared(first)
  await using second = await first.reopen()
  await untilCompacted(second, next)
  expect(ofKind(second, "compaction")).toMatchObject([{ covers: 2 * made }])
  expect(summariesAsked(second)).toBe(1)

  let isStuck = true
  const stuck: ScenarioFunction = async (asked, context) => {
    if (asksForSummary(asked.messages) && isStuck) await new Promise(() => {})
    return worker(asked, context)
  }
  await using third = await openTestSession({ ...options, script: stuck })
  for (let turn = 1; !isAsked(third); turn++) await third.prompt(usual(turn))
  isStuck = false
  await using fourth = await third.reopen()
  await untilCompacted(fourth, 60)
  expect(ofKind(fourth, "summary")).toEqual([])
  expect(ofKind(fourth, "compaction")).toMatchObject([{ by: "model" }])
  expect(
    ofKind(fourth, "request")
      .filter((entry) => entry.summary)
      .map((entry) => entry.summary?.ahead),
  ).toEqual([true, undefined])
})

test("going back or starting over drops it, and what was under way is not recorded", async () => {
  await using t = await openTestSession(options)
  const { next } = await untilPrepared(t)
  const prompts = ofKind(t, "prompt")
  const back = prompts.at(-2)?.promptId ?? ""
  await t.session.submit({ type: "rewind", promptId: back, what: "conversation" })
  await t.settled()
  await untilCompacted(t, next)
  // The first was made for a conversation that is gone, so another was made for this one.
  expect(ofKind(t, "summary")).toHaveLength(2)
  expect(summariesAsked(t)).toBe(2)

  const gate = Promise.withResolvers<void>()
  const slow: ScenarioFunction = async (asked, context) => {
    if (asksForSummary(asked.messages)) await gate.promise
    return worker(asked, context)
  }
  await using other = await openTestSession({ ...options, script: slow })
  for (let turn = 1; !isAsked(other); turn++) await other.prompt(usual(turn))
  await other.session.submit({ type: "clear" })
  await other.settled()
  gate.resolve()
  await other.prompt("turn 1 of 1")
  expect(ofKind(other, "summary")).toEqual([])
})

test("it is not made where nobody continues, where a hook has a say in it, or where it is turned off", async () => {
  const others: readonly TestSessionOptions[] = [
    { ...options, answers: undefined },
    { ...options, compaction: { when: "auto", trigger: { kind: "formula" }, inBackground: false } },
    { ...options, hooks: { PreCompact: [{ hooks: [{ type: "command", command: "true" }] }] } },
  ]
  for (const other of others) {
    await using t = await openTestSession(other)
    await untilCompacted(t, 1)
    expect(isAsked(t)).toBe(false)
    expect(summariesAsked(t)).toBe(1)
  }
})

test("a replay compacts as the original did", async () => {
  await using t = await openTestSession(options)
  const { made, next } = await untilPrepared(t)
  await untilCompacted(t, next)
  const { second } = await playAgain(t, (port) =>
    openTestSession({
      ...options,
      memory: { recorded: recordedMemory(t.entries()) },
      model: { port, id: "claude-sonnet-5" },
    }),
  )
  await using _ = second
  expect(ofKind(second, "compaction")).toMatchObject([{ covers: 2 * made, summary }])
})

test("what is sent afterwards equals a compaction made then, with the same summary, and the turns since", async () => {
  const turn = fc.record({ length: fc.integer({ min: 20, max: 60 }), calls: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 3, maxLength: 8 }), async (kinds) => {
      const said = (number: number): string => {
        const { length = 1, calls: wish = false } = kinds[number % kinds.length] ?? {}
        return `turn ${number} of ${number === 1 ? 400 : length}${wish ? ", calls" : ""}`
      }
      await using ahead = await openTestSession(options)
      const { made, next } = await untilPrepared(ahead, said)
      const last = await untilCompacted(ahead, next, said)

      await using then = await openTestSession({
        ...options,
        compaction: { when: "auto", trigger: { kind: "formula" }, inBackground: false },
      })
      for (let number = 1; number <= made; number++) await then.prompt(said(number))
      await then.session.submit({ type: "compact" })
      await then.settled()
      for (let number = made + 1; number <= last; number++) await then.prompt(said(number))
      expect(summariesAsked(ahead)).toBe(1)
      // A turn may be compacted between two of its requests: compared is what has the same end.
      const [after = []] = compactedRequests(ahead)
      const end = JSON.stringify(after.at(-1))
      expect(after).not.toEqual([])
      expect(after).toEqual(compactedRequests(then).find((sent) => JSON.stringify(sent.at(-1)) === end) ?? [])
    }),
    { ...runs(2), endOnFailure: true },
  )
}, 120_000)

/** Requests that begin with a summary, without the places of their logs. */
const compactedRequests = (t: TestSession): readonly (readonly Message[])[] =>
  t.requests().flatMap((messages): (readonly Message[])[] => {
    const text = JSON.stringify(messages).replaceAll(/[^\s"]*\/projects\/[^\s"]*\.jsonl/g, "the log")
    return !asksForSummary(messages) && text.includes("The summary of the conversation before")
      ? [JSON.parse(text)]
      : []
  })
