import { expect, test } from "bun:test"
import { openPatience } from "#ground/mcp/patience.ts"
import { openHandClock } from "../../../kit/hand-clock.ts"

test("progress begins the wait anew", async () => {
  const clock = openHandClock()
  const watched = openPatience(clock).watch(100)
  await clock.pass(99)
  watched.touch()
  await clock.pass(99)
  expect(watched.ended.aborted).toBe(false)
  await clock.pass(1)
  expect(watched.ended.aborted).toBe(true)
})

test("a limit for the whole call passes whatever progress there is, but not while a question is open", async () => {
  const clock = openHandClock()
  const patience = openPatience(clock)
  const watched = patience.watch(100, "whole")
  await clock.pass(60)
  watched.touch()
  const go = patience.pause()
  await clock.pass(10_000)
  watched.touch()
  go()
  await clock.pass(39)
  expect(watched.ended.aborted).toBe(false)
  watched.touch()
  await clock.pass(1)
  expect(watched.ended.aborted).toBe(true)
})

test("while a question is open no time passes, for calls that were there and for those that come", async () => {
  const clock = openHandClock()
  const patience = openPatience(clock)
  const before = patience.watch(100)
  const go = patience.pause()
  const during = patience.watch(100)
  await clock.pass(10_000)
  expect([before.ended.aborted, during.ended.aborted]).toEqual([false, false])
  go()
  await clock.pass(100)
  expect([before.ended.aborted, during.ended.aborted]).toEqual([true, true])
})

test("the signal of what is under way ends with the last of it", () => {
  const patience = openPatience(openHandClock())
  const [one, two] = [patience.watch(1), patience.watch(1)]
  const busy = patience.busySignal()
  one.done()
  expect([patience.isBusy(), busy.aborted]).toEqual([true, false])
  two.done()
  expect([patience.isBusy(), busy.aborted]).toEqual([false, true])
})
