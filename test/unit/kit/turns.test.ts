import { expect, test } from "bun:test"
import { openTurns } from "../../kit/turns.ts"

test("by day each story runs in one and they take turns, at night each runs in all", () => {
  const byDay = openTurns(false)
  expect([byDay(["a", "b"]), byDay(["a", "b"]), byDay(["a", "b"]), byDay(["a"])]).toEqual([["a"], ["b"], ["a"], ["a"]])
  const atNight = openTurns(true)
  expect([atNight(["a", "b"]), atNight(["a", "b"])]).toEqual([
    ["a", "b"],
    ["a", "b"],
  ])
})
