/** What a watcher prints, and in which order questions come to the person. */

import { expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Op } from "#agent/words/op.ts"
import type { QuestionAsk } from "#agent/words/question.ts"
import { openFloor } from "#faces/lines/floor.ts"
import { openLineInput } from "#faces/lines/input.ts"
import { openWatch } from "#faces/lines/watch.ts"
import type { Clock } from "#lib/clock.ts"
import { openFeed } from "#session/journal/feed.ts"
import { openPaperSession } from "../../../kit/paper-session.ts"

const ask = (title: string): QuestionAsk => ({
  kind: "permission",
  callId: title,
  tool: "Bash",
  title,
  input: {},
  footprint: { reads: [], writes: [], runs: [], reaches: [], asks: false, alone: false, effect: "none" },
  decision: { behavior: "ask", reason: { kind: "default" }, message: "It would run.", trace: [] },
})

/** A real feed, and a session that only remembers what it is told. */
function open() {
  const feed = openFeed()
  const ops: Op[] = []
  let printed = ""
  let now = 0
  let count = 0
  const session = openPaperSession({ feed, submit: (op) => void ops.push(op) })
  const clock: Clock = { now: () => (now += 1_000), sleep: async () => {}, after: () => () => {} }
  const write = (text: string): void => void (printed += text)
  const input = openLineInput({ show: write }, () => {})
  const watch = openWatch({
    session,
    after: "beginning",
    input,
    clock,
    lines: (text) => `${text}\n`,
    columns: () => 0,
    write,
    floor: openFloor(write),
    isTyped: (id) => id === "q",
    onEvent: () => {},
  })
  return {
    feed,
    ops,
    input,
    watch,
    record(body: EntryBody): void {
      feed.publishEntry({ uuid: `u${++count}`, parentUuid: null, at: 0, ...body })
    },
    /** What was printed since the last look. */
    async seen(): Promise<string> {
      await Bun.sleep(0)
      const so = printed
      printed = ""
      return so
    },
  }
}

const answers =
  "\n  It would run.\n  1. Yes\n  2. No, tell the model what to do differently\n  1 to 2, or what to do differently: "

test("two questions at once come one after the other, and nothing is printed between a question and its answer", async () => {
  const { feed, ops, input, record, seen } = open()
  feed.publish({ type: "question_open", question: { id: "1", key: "1", digest: "1", ask: ask("Bash one") } })
  feed.publish({ type: "question_open", question: { id: "2", key: "2", digest: "2", ask: ask("Bash two") } })
  expect(await seen()).toBe(`? Allow Bash one?${answers}`)
  record({ kind: "notice", level: "info", text: "Meanwhile." })
  expect(await seen()).toBe("")
  input.push("yes")
  expect(await seen()).toBe(`Note: Meanwhile.\n? Allow Bash two?${answers}`)
  input.push("later")
  await seen()
  expect(ops).toEqual([
    { type: "answer", questionId: "1", answer: { kind: "allow" }, digest: "1" },
    { type: "answer", questionId: "2", answer: { kind: "deny", words: "later", interrupt: false }, digest: "2" },
  ])
})

test("a question that is withdrawn, shown or waiting, is not answered", async () => {
  const { feed, ops, input, seen } = open()
  feed.publish({ type: "question_open", question: { id: "1", key: "1", digest: "1", ask: ask("Bash one") } })
  feed.publish({ type: "question_open", question: { id: "2", key: "2", digest: "2", ask: ask("Bash two") } })
  await seen()
  feed.publish({ type: "question_close", questionId: "2" })
  feed.publish({ type: "question_close", questionId: "1" })
  expect(await seen()).toBe("")
  input.push("yes")
  await seen()
  expect(ops).toEqual([])
})

test("what was queued is shown when it goes in; what was typed at the prompt is on the screen already", async () => {
  const { record, seen } = open()
  record({ kind: "prompt", promptId: "p", content: [{ type: "text", text: "queued\u001b[31m" }] })
  record({ kind: "prompt", promptId: "q", content: [{ type: "text", text: "typed" }] })
  expect(await seen()).toBe("> queued\n")
})

test("it has caught up when everything that happened so far is printed", async () => {
  const { feed, watch, record, seen } = open()
  await watch.caughtUp()
  record({ kind: "turn_start", turnId: "t" })
  const caughtUp = watch.caughtUp()
  record({ kind: "turn_end", turnId: "t", reason: "error", message: "It broke." })
  await caughtUp
  expect(await seen()).toBe("It broke.\n")
  feed.close()
  await watch.ended
})

test("a question that changed is shown again, and the answer is to what was shown last", async () => {
  const { feed, ops, input, seen } = open()
  feed.publish({ type: "question_open", question: { id: "1", key: "1", digest: "old", ask: ask("Bash one") } })
  await seen()
  feed.publish({ type: "question_open", question: { id: "1", key: "1", digest: "new", ask: ask("Bash other") } })
  await seen()
  input.push("yes")
  await seen()
  expect(ops).toEqual([{ type: "answer", questionId: "1", answer: { kind: "allow" }, digest: "new" }])
})
