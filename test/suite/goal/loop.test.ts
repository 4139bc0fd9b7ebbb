/** Loops: a prompt is sent again and again, once each time, over restarts and whatever the clock does. */

import { expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import type { Clock } from "#lib/clock.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { says } from "../../kit/script.ts"

setDefaultTimeout(300_000)

const minute = 60_000

/** Shows what time it is told; timers ring when they are due by it. Other waits of the session take no time. */
function openJumpingClock(): Clock & { readonly set: (now: number) => void } {
  let now = 1_000_000_000
  let timers: { readonly at: number; readonly ring: () => void }[] = []
  return {
    now: () => now,
    sleep: (ms, signal) => new Promise((done) => (signal.aborted ? done() : setTimeout(done, Math.min(ms, 5)))),
    after(ms, ring) {
      const timer = { at: now + ms, ring }
      timers.push(timer)
      return () => void (timers = timers.filter((other) => other !== timer))
    },
    set(to) {
      const passed = to - now
      now = to
      // A timer counts what passes, not what the clock shows; a clock that is set back makes none longer.
      const due = timers.filter((timer) => timer.at <= now || passed < 0)
      timers = timers.filter((timer) => !due.includes(timer))
      for (const { ring } of due) ring()
    },
  }
}

const sent = (t: TestSession): number =>
  t.entries().filter((entry) => entry.kind === "prompt" && JSON.stringify(entry.content).includes("Look at it")).length

const open = (clock: Clock) =>
  openTestSession({
    clock,
    answers: () => ({ kind: "allow" }),
    extensions: { claudeFolder: "/nonexistent", bundled: false },
    script: () => says("Looked."),
  })

async function at(t: TestSession, clock: ReturnType<typeof openJumpingClock>, now: number): Promise<number> {
  clock.set(now)
  await Bun.sleep(1)
  await t.settled()
  return sent(t)
}

test("it is sent at once, then after every interval, until it is stopped", async () => {
  const clock = openJumpingClock()
  const start = clock.now()
  await using t = await open(clock)
  await t.prompt("/loop 10m Look at it")
  expect(await at(t, clock, start)).toBe(1)
  expect(await at(t, clock, start + 9 * minute)).toBe(1)
  expect(await at(t, clock, start + 10 * minute)).toBe(2)
  expect(await at(t, clock, start + 20 * minute)).toBe(3)
  expect(await t.ask({ type: "loop" })).toMatchObject({ sent: 3, nextAt: start + 30 * minute })
  await t.prompt("/loop stop")
  expect(await at(t, clock, start + 50 * minute)).toBe(3)
  expect(await t.ask({ type: "loop" })).toBeNull()
})

test("a clock that jumps ahead or back sends it once", async () => {
  const clock = openJumpingClock()
  const start = clock.now()
  await using t = await open(clock)
  await t.prompt("/loop 10m Look at it")
  expect(await at(t, clock, start + 1)).toBe(1)
  expect(await at(t, clock, start + 600 * minute + 5)).toBe(2)
  expect(await at(t, clock, start + 600 * minute + 6)).toBe(2)
  expect(await at(t, clock, start - 900 * minute)).toBe(2)
  // Not silent until the old time comes again.
  expect(await at(t, clock, start - 889 * minute)).toBe(3)
})

test("what was due while the session was closed is sent once when it is opened", async () => {
  const clock = openJumpingClock()
  const start = clock.now()
  await using t = await open(clock)
  await t.prompt("/loop 10m Look at it")
  expect(await at(t, clock, start)).toBe(1)
  await t.session.close()
  clock.set(start + 45 * minute)
  await using again = await t.reopen()
  expect(await at(again, clock, start + 45 * minute + 1)).toBe(2)
  expect(await again.ask({ type: "loop" })).toMatchObject({ sent: 2, nextAt: start + 50 * minute })
  // A copy does not go on with it.
  await using copy = await again.fork()
  expect(await copy.ask({ type: "loop" })).toBeNull()
})

test("killed after the prompt was sent and before that was counted, it is not sent again", async () => {
  const clock = openJumpingClock()
  const start = clock.now()
  await using t = await open(clock)
  await t.prompt("/loop 10m Look at it")
  expect(await at(t, clock, start)).toBe(1)
  expect(await at(t, clock, start + 10 * minute)).toBe(2)
  await t.session.close()
  const lines = readFileSync(t.logPath, "utf8").split("\n")
  const left = lines.filter((line) => !(line.includes('"loopId"') && line.includes('"sent":2')))
  expect(left).toHaveLength(lines.length - 1)
  writeFileSync(t.logPath, left.join("\n"))
  await using again = await t.reopen()
  expect(await at(again, clock, start + 10 * minute + 1)).toBe(2)
  expect(await again.ask({ type: "loop" })).toMatchObject({ sent: 2 })
})

test("a run that ends with its answer has none", async () => {
  await using t = await openTestSession({ script: [] })
  const set = await t.session.submit({ type: "set_loop", loop: { everyMs: minute, prompt: "Look" } })
  expect(set).toMatchObject({ ok: false, failure: { kind: "loop" } })
})
