/** The Notification of a session that has waited for its user for a while, and that nothing else brings it about. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { openHandClock } from "../../kit/hand-clock.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, read, says as replies } from "../../kit/script.ts"
import { hookRuns, inputs, keepsInput, on } from "./hooks.ts"

const hooks = {
  Notification: [on(keepsInput("idle"), {}, "idle_prompt"), on(keepsInput("asks"), {}, "permission_prompt")],
}
const isRun = (event: { readonly type: string; readonly entry?: { readonly kind: string } }): boolean =>
  event.type === "entry" && event.entry?.kind === "hook"

test("a minute after a turn, once; a prompt before that begins it again", async () => {
  const clock = openHandClock()
  await using t = await openTestSession({
    script: [replies("one"), replies("two")],
    answers: () => ({ kind: "allow" }),
    clock,
    hooks,
  })
  await clock.pass(120_000)
  await t.prompt("first")
  await clock.pass(59_000)
  await t.prompt("second")
  await clock.pass(59_000)
  expect(hookRuns(t)).toEqual([])
  await clock.pass(2_000)
  await t.until(isRun)
  await clock.pass(600_000)
  expect(inputs(t, "idle")).toMatchObject([
    {
      hook_event_name: "Notification",
      notification_type: "idle_prompt",
      message: "Codewright is waiting for your input.",
    },
  ])
})

test("a question is told of at once; where nobody can be asked, nobody is waited for", async () => {
  await using t = await openTestSession({
    script: [calls(read("../outside.txt")), replies("read")],
    files: { "../outside.txt": "x" },
    answers: () => ({ kind: "allow" }),
    ask: ["Read"],
    hooks,
  })
  await t.prompt("go")
  await t.until(isRun)
  expect(inputs(t, "asks")).toMatchObject([{ notification_type: "permission_prompt" }])

  const clock = openHandClock()
  await using alone = await openTestSession({ script: [replies("one")], clock, hooks })
  await alone.prompt("go")
  await clock.pass(600_000)
  expect(existsSync(alone.path("../idle"))).toBe(false)
})
