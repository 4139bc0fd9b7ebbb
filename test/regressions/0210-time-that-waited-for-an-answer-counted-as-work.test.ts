/** "Working 1 min 7 s" and the line at the end of a turn counted the time in which a dialog waited for its user. */

import { expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView, type View } from "#faces/view/view.ts"
import { workedMs } from "#faces/view/waiting.ts"
import { inParts, permission } from "../faces/tui/scenes.ts"

type Step = readonly [at: number, body: EntryBody]

const played = (...events: readonly Step[]): View =>
  events.reduce(
    (view, [at, body]) => reduce(view, { type: "entry", entry: { uuid: `${at}`, parentUuid: null, at, ...body } }),
    emptyView,
  )

const allowed = (questionId: string): EntryBody => ({ kind: "answer", questionId, answer: { kind: "allow" } })
const start: EntryBody = { kind: "turn_start", turnId: "t" }
const end: EntryBody = { kind: "turn_end", turnId: "t", reason: "completed" }
const asks = (question: typeof permission): EntryBody => ({ kind: "question", question })

test("a turn worked for as long as it did not wait", () => {
  const view = played([0, start], [1000, asks(permission)], [61_000, allowed("q1")])
  expect(view.working && workedMs(view.working, 63_000)).toBe(3000)
  const ended = played([0, start], [1000, asks(permission)], [61_000, allowed("q1")], [63_000, end])
  expect(ended.items.at(-1)).toMatchObject({ kind: "end", durationMs: 3000 })
})

test("several questions at once are one wait, and an open one stops the clock", () => {
  const both: readonly Step[] = [
    [0, start],
    [1000, asks(permission)],
    [5000, asks(inParts)],
    [20_000, allowed("q1")],
  ]
  const open = played(...both)
  expect(open.working && workedMs(open.working, 90_000)).toBe(1000)
  const closed = played(...both, [50_000, allowed("q7")])
  expect(closed.working && workedMs(closed.working, 52_000)).toBe(3000)
})
