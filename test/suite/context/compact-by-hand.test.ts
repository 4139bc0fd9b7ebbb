/** `/compact` by a person: with nothing to do, with nobody who answers, while more is said, and given up halfway. */

import { expect, test } from "bun:test"
import type { Message } from "#agent/words/message.ts"
import type { ModelFacts } from "#agent/words/model.ts"
import { claudeFacts } from "#ground/models/anthropic/releases.ts"
import type { ScenarioFunction, ScenarioReply } from "#sim/scenario.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

const asksForSummary = (messages: readonly unknown[]): boolean =>
  JSON.stringify(messages.at(-1)).includes("Write a summary that takes its place")

const goodSummary = says("<summary>The user wants numbers printed; they were printed with seq, all of them.</summary>")

/** Each prompt has one call; `summarize` answers when a summary is asked for. */
const printing =
  (summarize: () => ScenarioReply | Promise<ScenarioReply>): ScenarioFunction =>
  ({ messages }) => {
    if (asksForSummary(messages)) return summarize()
    const isDone = JSON.stringify(messages.at(-1)).includes("tool_result")
    return isDone ? says("Printed the numbers.") : calls(bash("seq 1 3000 # numbers"))
  }

const notices = (t: TestSession): readonly string[] =>
  t.entries().flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []))
const compactions = (t: TestSession) => t.entries().filter((entry) => entry.kind === "compaction")
const lastSent = (t: TestSession): readonly Message[] => t.requests().findLast((each) => !asksForSummary(each)) ?? []

async function compact(t: TestSession, instructions?: string): Promise<void> {
  expect((await t.session.submit({ type: "compact", ...(instructions && { instructions }) })).ok).toBe(true)
  await t.settled()
}

test("with nothing said, and with nothing to win, the person is told, and all stays as it was", async () => {
  await using t = await openTestSession({ script: [says("Hello.")] })
  await compact(t)
  await t.prompt("hello")
  await compact(t, "mind the bees")
  expect(notices(t)).toEqual(["Nothing to compact yet: the model has not answered.", "Nothing to compact yet."])
  expect(compactions(t)).toEqual([])
})

test("when the model cannot be reached an extract takes its place, and the person's words stay", async () => {
  await using t = await openTestSession({ script: printing(() => ({ content: "", fault: "server_error" })) })
  await t.prompt("print «the numbers»")
  await compact(t)
  expect(compactions(t)).toMatchObject([{ by: "extract", trigger: "manual" }])
  await t.prompt("go on")
  const sent = JSON.stringify(lastSent(t))
  for (const words of ["print «the numbers»", "go on", "Bash seq 1 3000"]) expect(sent).toContain(words)
})

test("what is said meanwhile waits for it, is heard after it, and nothing of it is lost", async () => {
  const gate = Promise.withResolvers<void>()
  await using t = await openTestSession({ script: printing(() => gate.promise.then(() => goodSummary)) })
  await t.prompt("print the numbers")
  const waiting: (readonly string[])[] = []
  const { events } = t.session
  void (async () => {
    for await (const event of events("beginning")) if (event.type === "queue_change") waiting.push(event.texts)
  })()
  expect((await t.session.submit({ type: "compact", instructions: "mind the bees" })).ok).toBe(true)
  t.say("first thing")
  t.say("second thing")
  // A second one, or anything else between turns, has to wait for its turn.
  expect(await t.session.submit({ type: "compact" })).toEqual({ ok: false, failure: { kind: "working" } })
  gate.resolve()
  await t.settled()
  expect(compactions(t)).toHaveLength(1)
  const kinds = t.entries().flatMap((entry) => {
    if (entry.kind === "compaction") return ["compaction"]
    return entry.kind === "prompt" ? entry.content.map((block) => (block.type === "text" ? block.text : "")) : []
  })
  expect(kinds).toEqual(["print the numbers", "compaction", "first thing", "second thing"])
  expect(JSON.stringify(t.requests().find(asksForSummary))).toContain("mind the bees")
  // What has been said is not shown as waiting any more, while it is answered.
  await Bun.sleep(0)
  const shown = waiting.map((texts) => texts.join(", ")).filter((text, i, all) => text !== all[i - 1])
  expect(shown).toEqual(["first thing", "first thing, second thing", "second thing", ""])
  const sent = JSON.stringify(lastSent(t))
  for (const words of ["print the numbers", "first thing", "second thing"]) expect(sent).toContain(words)
})

test("interrupted, by hand or in the middle of a turn, it changes nothing, says so, and can be made again", async () => {
  const asked = Promise.withResolvers<void>()
  let isStuck = true
  await using t = await openTestSession({
    script: printing(async () => {
      asked.resolve()
      if (isStuck) await new Promise(() => {})
      return goodSummary
    }),
  })
  await t.prompt("print the numbers")
  const before = lastSent(t)
  expect((await t.session.submit({ type: "compact" })).ok).toBe(true)
  await asked.promise
  t.say("still to be said")
  void t.session.submit({ type: "interrupt" })
  await t.settled()
  expect(notices(t)).toEqual(["The compaction was interrupted; nothing was changed."])
  expect(compactions(t)).toEqual([])

  isStuck = false
  await t.prompt("and go on")
  const after = lastSent(t)
  expect(after.slice(0, before.length)).toEqual([...before])
  for (const words of ["still to be said", "and go on"]) expect(JSON.stringify(after)).toContain(words)
  await compact(t)
  expect(compactions(t)).toHaveLength(1)
})

test("a compaction by itself that is interrupted ends the turn, and the next prompt makes it anew", async () => {
  const small = (model: string): ModelFacts => ({ ...claudeFacts(model), window: 34_000, maxOutput: 8_000 })
  let asked = Promise.withResolvers<void>()
  let isStuck = true
  await using t = await openTestSession({
    model: { factsOf: small },
    script: async ({ messages }) => {
      if (!asksForSummary(messages)) return says(`Numbers are fine. ${"So many numbers were printed. ".repeat(700)}`)
      asked.resolve()
      if (isStuck) await new Promise(() => {})
      return goodSummary
    },
  })
  let said = 0
  const sayUntilAsked = async (): Promise<void> => {
    for (;;) {
      t.say(`print numbers ${said++}`)
      const settled = t.settled().then(() => "settled" as const)
      if ((await Promise.race([asked.promise, settled])) !== "settled") return
    }
  }
  await sayUntilAsked()
  void t.session.submit({ type: "interrupt" })
  await t.settled()
  expect(t.entries().findLast((entry) => entry.kind === "turn_end")).toMatchObject({ reason: "aborted" })
  expect(compactions(t)).toEqual([])
  isStuck = false
  asked = Promise.withResolvers()
  expect(await t.prompt("go on with numbers")).toEqual({ reason: "completed" })
  expect(compactions(t)).toMatchObject([{ by: "model", trigger: "auto" }])
  const sent = JSON.stringify(lastSent(t))
  for (let number = 0; number < said; number++) expect(sent).toContain(`print numbers ${number}`)
})
