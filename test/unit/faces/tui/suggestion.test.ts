/** A suggestion stands in the empty prompt; Tab takes it, typing ignores it, and the next turn ends it. */

import { expect, test } from "bun:test"
import { pressKey } from "#faces/tui/press.ts"
import type { TuiContext } from "#faces/tui/outcome.ts"
import { emptyState, type TuiState } from "#faces/tui/state.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView } from "#faces/view/view.ts"
import { paperState } from "../../../kit/paper-session.ts"

const around: TuiContext = {
  session: paperState,
  now: 0,
  agents: 0,
  columns: 40,
  rows: 20,
  offers: new Set(),
  modeCycle: [],
  sessionCommands: [],
}
const suggested = reduce(emptyView, { type: "suggestion", text: "run the tests" })
const turn = { type: "entry", entry: { uuid: "u", parentUuid: null, at: 0, kind: "turn_start", turnId: "t" } } as const

const textAfter = (state: TuiState, ...names: readonly string[]): string =>
  names.reduce(
    (now, name) =>
      pressKey(now, name.length === 1 ? { kind: "text", text: name } : { kind: "key", name }, around).state,
    state,
  ).editor.buffer.text

test("Tab takes it, only into an empty prompt", () => {
  const state = { ...emptyState, view: suggested }
  expect(textAfter(state, "tab")).toBe("run the tests")
  expect(textAfter(state, "x", "tab")).toBe("x")
  expect(textAfter(emptyState, "tab")).toBe("")
})

test("it is gone when a turn begins, and none comes while one runs", () => {
  const begun = reduce(suggested, turn)
  expect(begun.suggestion).toBeUndefined()
  expect(reduce(begun, { type: "suggestion", text: "too late" }).suggestion).toBeUndefined()
})
