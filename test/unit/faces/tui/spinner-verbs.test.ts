import { expect, test } from "bun:test"
import { spinnerRows } from "#faces/tui/parts/status.ts"
import { reduce } from "#faces/view/reduce.ts"
import { emptyView } from "#faces/view/view.ts"

const working = (at: number): Parameters<typeof spinnerRows>[0] =>
  reduce(emptyView, { type: "entry", entry: { kind: "turn_start", turnId: "t", uuid: "u", parentUuid: null, at } })

test("words of the person's own stand in the spinner, one for the whole turn", () => {
  const row = (at: number, now: number): string =>
    spinnerRows(working(at), 0, now, 80, ["Brewing", "Pondering"]).join("")
  expect(row(2, 10)).toContain("Brewing")
  expect(row(2, 5_000)).toContain("Brewing")
  expect(row(3, 10)).toContain("Pondering")
  expect(spinnerRows(working(2), 0, 10, 80).join("")).toContain("Thinking")
})
