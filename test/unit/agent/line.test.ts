/** The line of calls as a value: in whatever order calls finish, results are told and changes apply in the model's order. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import {
  change,
  complete,
  emptyLine,
  isTold,
  type Line,
  lanesIn,
  nextIn,
  queue,
  start,
  recordable,
  recordedIn,
} from "#agent/line.ts"
import type { ToolUseBlock } from "#agent/words/message.ts"
import { answered, type Outcome, refused } from "#agent/words/tool.ts"

const use = (id: string): ToolUseBlock => ({ type: "tool_use", id, name: "Act", input: {} })
const moves = (path: string): Outcome => answered(path, { change: { kind: "cwd", path } })
const lined = (count: number): Line =>
  Array.from({ length: count }, (_, i) => `${i}`).reduce((line, id) => queue(line, use(id)), emptyLine)

test("a call goes from queued to executing to completed to told", () => {
  const queued = lined(1)
  expect([nextIn(queued), lanesIn(queued), isTold(queued)]).toEqual([0, [], false])
  const executing = start(queued, 0, "alone", 10)
  expect([nextIn(executing), lanesIn(executing)]).toEqual([-1, ["alone"]])
  const completed = complete(executing, 0, answered("done"), 13)
  expect([lanesIn(completed), isTold(completed), recordedIn(completed)]).toEqual([[], false, []])
  const { line: told, due } = recordable(completed)
  expect(due).toMatchObject([{ use: use("0"), outcome: answered("done"), durationMs: 3 }])
  expect([isTold(told), recordable(told).due, recordedIn(told).length]).toEqual([true, [], 1])
  expect(queued.slots[0]?.state).toBe("queued")
})

test("only an act that ran and failed holds back what is behind it", () => {
  const failedAs = (lane: "safe" | "alone"): boolean =>
    complete(start(lined(2), 0, lane, 0), 0, refused("no"), 0).failed
  expect([failedAs("alone"), failedAs("safe")]).toEqual([true, false])
  expect(complete(lined(2), 0, refused("never ran"), 0).failed).toBe(false)
})

test("results and changes come once, in order, and changes only when the whole group is over", () => {
  fc.assert(
    fc.property(
      fc
        .integer({ min: 1, max: 8 })
        .chain((count) => fc.shuffledSubarray([...Array(count).keys()], { minLength: count })),
      (order) => {
        const told: string[] = []
        const changes: string[] = []
        let line = order.reduce((sofar, at) => start(sofar, at, "safe", 0), lined(order.length))
        for (const [done, at] of order.entries()) {
          const changing = change(complete(line, at, moves(`${at}`), 0))
          const telling = recordable(changing.line)
          line = telling.line
          if (done < order.length - 1) expect(changing.due).toEqual([])
          changes.push(...changing.due.map(({ path }) => path))
          told.push(...telling.due.map((slot) => slot.use.id))
        }
        const all = order.map((_, i) => `${i}`)
        expect([told, changes, isTold(line)]).toEqual([all, all, true])
      },
    ),
  )
})
