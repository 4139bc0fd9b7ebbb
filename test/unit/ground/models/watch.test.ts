import { expect, test } from "bun:test"
import { openWatch } from "#ground/models/watch.ts"
import { fakeClock } from "./fake-clock.ts"

const never = (): AbortSignal => new AbortController().signal

test("it rings when nothing was heard for as long as it listens", () => {
  const clock = fakeClock()
  const watch = openWatch(clock, never())
  watch.listen(90)
  clock.advance(89)
  expect(watch.signal.aborted).toBe(false)
  clock.advance(1)
  expect([watch.signal.aborted, watch.ranOut(), clock.pending()]).toEqual([true, 90, 0])
})

test("what is heard begins the wait anew, without a new timer", () => {
  const clock = fakeClock()
  const watch = openWatch(clock, never())
  for (let count = 0; count < 50; count++) {
    watch.listen(90)
    clock.advance(10)
    watch.received()
  }
  expect([watch.signal.aborted, clock.pending()]).toEqual([false, 1])
  expect(clock.armed()).toBeLessThan(12)
  watch.listen(90)
  clock.advance(90)
  expect(watch.ranOut()).toBe(90)
})

test("time that passes on our side is not silence", () => {
  const clock = fakeClock()
  const watch = openWatch(clock, never())
  watch.listen(90)
  watch.received()
  clock.advance(10_000)
  expect(watch.signal.aborted).toBe(false)
  watch.listen(90)
  clock.advance(89)
  expect(watch.signal.aborted).toBe(false)
})

test("another limit takes the place of the first, shorter or longer", () => {
  const clock = fakeClock()
  const longer = openWatch(clock, never())
  longer.listen(60)
  longer.received()
  longer.listen(90)
  clock.advance(60)
  expect(longer.signal.aborted).toBe(false)
  longer.received()
  longer.listen(5)
  clock.advance(5)
  expect(longer.ranOut()).toBe(5)
})

test("a longer limit needs no timer of its own, and is kept to the end", () => {
  const clock = fakeClock()
  const watch = openWatch(clock, never())
  watch.listen(60)
  clock.advance(10)
  watch.listen(90)
  expect(clock.armed()).toBe(1)
  clock.advance(89)
  expect(watch.signal.aborted).toBe(false)
  clock.advance(1)
  expect([watch.ranOut(), clock.armed(), clock.pending()]).toEqual([90, 2, 0])
})

test("the caller's abort is passed on, and is not the watch's own", () => {
  const clock = fakeClock()
  const controller = new AbortController()
  const watch = openWatch(clock, controller.signal)
  watch.listen(90)
  controller.abort()
  expect([watch.signal.aborted, watch.ranOut(), clock.pending()]).toEqual([true, undefined, 0])
  const late = openWatch(clock, controller.signal)
  late.listen(90)
  expect([late.signal.aborted, clock.pending()]).toEqual([true, 0])
})

test("a stopped watch lets the request be", () => {
  const clock = fakeClock()
  const controller = new AbortController()
  const watch = openWatch(clock, controller.signal)
  watch.listen(90)
  watch.stop()
  clock.advance(1_000)
  controller.abort()
  expect([watch.signal.aborted, clock.pending()]).toEqual([false, 0])
})
