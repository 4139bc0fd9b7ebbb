/**
 * A session that was closed within 25 ms of its first command still prepared one: it made its folders again and tried the
 * sandbox. A command for the background never cancelled the preparation, so it came while the command ran.
 */

import { expect, test } from "bun:test"
import { systemClock } from "#lib/clock.ts"
import { openTestSession } from "../kit/open-test-session.ts"
import { bash, calls, says, use } from "../kit/script.ts"

/** Time that stands still for timers, and tells which of them are waiting. */
function stillClock() {
  const waiting = new Map<symbol, number>()
  return {
    waiting: (): readonly number[] => [...waiting.values()],
    clock: {
      ...systemClock,
      after(ms: number) {
        const key = Symbol("a timer")
        waiting.set(key, ms)
        return () => void waiting.delete(key)
      },
    },
  }
}

const background = use("Bash", { command: "true", run_in_background: true })

test.each([bash("true"), bash(": > made"), background])("a closed session leaves no timer: %o", async (command) => {
  const { waiting, clock } = stillClock()
  {
    await using t = await openTestSession({ clock, script: [calls(command), says("Done.")] })
    await t.prompt("go")
  }
  expect(waiting()).toEqual([])
})

test("a session that is closed while the call is being written leaves no timer", async () => {
  const { waiting, clock } = stillClock()
  {
    const timing = { pauses: [{ afterTokens: 1, ms: 600_000 }] }
    await using t = await openTestSession({ clock, script: [{ ...calls(bash("true")), timing }] })
    t.say("go")
    await t.until(({ type }) => type === "model_delta")
    expect(waiting()).toContain(25)
  }
  expect(waiting()).toEqual([])
})

test("a command that is whole is not prepared for, in the background either", async () => {
  const { waiting, clock } = stillClock()
  await using t = await openTestSession({ clock, script: [calls(background), says("Done.")] })
  await t.prompt("go")
  expect(waiting()).not.toContain(25)
})
