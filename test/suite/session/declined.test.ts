/** A person says no to a call. */

import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { openTestSession } from "../../kit/open-test-session.ts"
import { calls, says, write } from "../../kit/script.ts"

const script = [calls(write("a.ts", "x")), says("Understood.")]

test("a declined write is told to the model, and the turn goes on", async () => {
  await using t = await openTestSession({
    script,
    mode: "default",
    answers: () => ({ kind: "deny", words: "call it b.ts", interrupt: false }),
  })
  expect(await t.prompt("write it")).toEqual({ reason: "completed" })
  const words = "The user declined this call and says: call it b.ts"
  expect(t.story()).toEqual([
    "turn_start",
    "prompt write it",
    "reply calls Write",
    "question permission",
    "answer deny",
    "decision deny Write by person",
    `result error ${words}`,
    "reply Understood.",
    "turn_end completed",
  ])
  expect(t.requests()[1]?.at(-1)?.content).toEqual([
    expect.objectContaining({ type: "tool_result", content: words, is_error: true }),
  ])
  expect(existsSync(t.path("a.ts"))).toBe(false)
})

test("a rejected write ends the turn, and the model hears of it with the next prompt", async () => {
  await using t = await openTestSession({
    script,
    mode: "default",
    answers: () => ({ kind: "deny", interrupt: true }),
  })
  expect(await t.prompt("write it")).toEqual({ reason: "aborted", cause: "declined", message: "You rejected a call." })
  expect(t.simulator.requests).toHaveLength(1)
  expect(existsSync(t.path("a.ts"))).toBe(false)

  expect(await t.prompt("then leave it")).toEqual({ reason: "completed" })
  const words = "The user declined this call. Nothing was done. Wait for what they say next."
  expect(t.requests()[1]?.at(-1)?.content).toEqual([
    expect.objectContaining({ type: "tool_result", content: words, is_error: true }),
    { type: "text", text: "then leave it" },
  ])
})

test("an allowed write is made, and the log says who allowed it", async () => {
  await using t = await openTestSession({ script, mode: "default", answers: () => ({ kind: "allow" }) })
  expect(await t.prompt("write it")).toEqual({ reason: "completed" })
  expect(t.read("a.ts")).toBe("x")
  expect(t.story().slice(3, 7)).toEqual([
    "question permission",
    "answer allow",
    "decision allow Write by person",
    "intent Write a.ts",
  ])
})
