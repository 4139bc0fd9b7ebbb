/** What the user may say next: suggested after a turn where that is wanted, never while planning, and never a command. */

import { expect, test } from "bun:test"
import type { Event } from "#agent/words/event.ts"
import { suggestionIn } from "#session/request/suggest.ts"
import type { ScenarioFunction } from "#sim/scenario.ts"
import { openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { says } from "../../kit/script.ts"

const isAside = (system: string): boolean => system.includes("most likely to send next")

const script: ScenarioFunction = ({ system }) =>
  says(isAside(system) ? '"Now run the tests"\nand more' : "The fix is in.")

const isSuggestion = (event: Event): boolean => event.type === "suggestion"

const asked = (t: TestSession): readonly string[] =>
  t.simulator.requests.flatMap(({ body }) => {
    const text = JSON.stringify(body)
    return isAside(text) ? [text] : []
  })

test("after a turn, from what was said last", async () => {
  await using t = await openTestSession({ script, suggests: true })
  await t.prompt("fix the bug")
  expect(await t.until(isSuggestion)).toMatchObject({ type: "suggestion", text: "Now run the tests" })
  expect(asked(t)).toHaveLength(1)
  expect(asked(t)[0]).toContain("Developer: fix the bug")
  expect(asked(t)[0]).toContain("Agent: The fix is in.")
})

test("not while planning, and not where it is not wanted", async () => {
  await using planning = await openTestSession({ script, suggests: true, mode: "plan", answers: () => undefined })
  await planning.prompt("plan the fix")
  await using off = await openTestSession({ script })
  await off.prompt("fix the bug")
  expect([...asked(planning), ...asked(off)]).toEqual([])
})

test("one plain line, or nothing", () => {
  for (const text of [
    "NONE",
    "None.",
    "",
    "ok",
    "/clear",
    "!rm -rf .",
    "# note",
    "a".repeat(200),
    "go\u001b[2Jon",
    "go\u202eon",
  ])
    expect(suggestionIn(text)).toBeUndefined()
  expect(suggestionIn("`run the tests`")).toBe("run the tests")
})
