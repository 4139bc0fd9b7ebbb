/** Going back, undoing it, and starting anew: the log keeps everything, the model sees one path. */

import { expect, test } from "bun:test"
import { act, lastSaid, promptId } from "../../kit/going-back.ts"
import { openTestSession } from "../../kit/open-test-session.ts"
import { says } from "../../kit/script.ts"

const script = ["one", "two", "three", "four", "five"].map((word) => says(word))

test("after a rewind the model no longer sees what came after, and the log still has it", async () => {
  await using t = await openTestSession({ script })
  await t.prompt("first")
  await t.prompt("second")
  await act(t, { type: "rewind", promptId: promptId(t, "second"), what: "conversation" })
  await t.prompt("another second")
  expect(lastSaid(t)).toEqual(["first", "another second"])
  expect(t.story().filter((line) => /^(prompt|head)/.test(line))).toEqual([
    "prompt first",
    "prompt second",
    "head rewind",
    "prompt another second",
  ])
})

test("a rewind says which prompt it went back to, and how full the context was there", async () => {
  await using t = await openTestSession({ script })
  const tokens = async (): Promise<number> => (await t.ask({ type: "state" })).contextTokens
  await t.prompt("first")
  const afterFirst = await tokens()
  await t.prompt("second\nwith more lines")
  const afterSecond = await tokens()
  expect(afterSecond).toBeGreaterThan(afterFirst)
  await act(t, { type: "rewind", promptId: promptId(t, "second\nwith more lines"), what: "conversation" })
  expect(t.entries().findLast(({ kind }) => kind === "head")).toMatchObject({
    why: "rewind",
    prompt: "second\nwith more lines",
    contextTokens: afterFirst,
  })
  expect(await tokens()).toBe(afterFirst)
  await act(t, { type: "redo" })
  expect(await tokens()).toBe(afterSecond)
  await act(t, { type: "clear" })
  expect(await tokens()).toBe(0)
})

test("a rewind is undone by redo, also after a resume", async () => {
  await using first = await openTestSession({ script })
  await first.prompt("first")
  await first.prompt("second")
  await act(first, { type: "rewind", promptId: promptId(first, "first"), what: "conversation" })
  await using t = await first.reopen()
  await act(t, { type: "redo" })
  await t.prompt("third")
  expect(lastSaid(t)).toEqual(["first", "second", "third"])
})

test("a resume goes on with the path that was current", async () => {
  await using first = await openTestSession({ script })
  await first.prompt("first")
  await first.prompt("second")
  await act(first, { type: "rewind", promptId: promptId(first, "second"), what: "conversation" })
  await using t = await first.reopen()
  await t.prompt("third")
  expect(lastSaid(t)).toEqual(["first", "third"])
})

test("clear starts anew without a model, and redo brings the conversation back", async () => {
  await using t = await openTestSession({ script })
  await t.prompt("first")
  await act(t, { type: "clear" })
  await t.prompt("second")
  expect(lastSaid(t)).toEqual(["second"])
  await act(t, { type: "redo" })
  await t.prompt("third")
  expect(lastSaid(t)).toEqual(["first", "third"])
})

test("what cannot be gone back to changes nothing and is said", async () => {
  await using t = await openTestSession({ script })
  await t.prompt("first")
  await act(t, { type: "rewind", promptId: "nobody knows it", what: "both" })
  await act(t, { type: "redo" })
  await act(t, { type: "uncompact" })
  expect(t.story().filter((line) => line.startsWith("notice"))).toEqual([
    "notice That prompt is not part of this conversation any more. Nothing was changed.",
    "notice There is no rewind to undo.",
    "notice There is no compaction to undo.",
  ])
  await t.prompt("second")
  expect(lastSaid(t)).toEqual(["first", "second"])
})

test("while a turn runs, going back waits for nobody: it is refused", async () => {
  await using t = await openTestSession({ script: [{ ...says("slowly"), timing: { ttftMs: 200 } }, says("two")] })
  t.say("first")
  await t.until((event) => event.type === "request_start")
  expect(await t.session.submit({ type: "clear" })).toEqual({ ok: false, failure: { kind: "working" } })
  await t.settled()
})

test("a command of the person's own is run at once, and the model sees it with the next prompt", async () => {
  await using t = await openTestSession({ script })
  await act(t, { type: "shell", command: "echo mine; exit 3" })
  expect(t.story()).toContain("shell echo mine; exit 3: mine")
  await t.prompt("and now?")
  const [said = ""] = lastSaid(t)
  expect(said).toContain("$ echo mine; exit 3\nmine\nIt ended with 3.")
  expect(said).toEndWith("and now?")
})

test("what a chore is about to do can be seen, and what is said meanwhile waits for it", async () => {
  await using t = await openTestSession({ script })
  expect((await t.session.submit({ type: "shell", command: "sleep 0.3; echo done" })).ok).toBe(true)
  t.say("after it")
  await t.settled()
  const order = t.story().filter((line) => /^(shell|prompt)/.test(line))
  expect(order).toEqual(["shell sleep 0.3; echo done: done", "prompt after it"])
})

test("going on with nothing but an approved plan: the turn ends, the conversation is the plan", async () => {
  await using t = await openTestSession({
    mode: "plan",
    answers: (question) =>
      question.ask.kind === "plan"
        ? { kind: "approve", mode: "acceptEdits", wishes: [], fresh: true }
        : { kind: "allow" },
    script: [
      { content: [{ tool: "ExitPlanMode", input: {} }] },
      { when: { lastUserText: "Do the one thing" }, content: "Fresh and done." },
      says("not to be said"),
    ],
  })
  const named = t.entries().find((entry) => entry.kind === "plan")
  expect(named).toBeUndefined()
  const { writeFileSync, mkdirSync } = await import("node:fs")
  const { dirname } = await import("node:path")
  void t
    .until((event) => event.type === "entry" && event.entry.kind === "plan")
    .then((event) => {
      if (event.type !== "entry" || event.entry.kind !== "plan") return
      mkdirSync(dirname(event.entry.path), { recursive: true })
      writeFileSync(event.entry.path, "# Plan\n\nDo the one thing.\n")
    })
  await t.prompt("plan it")
  expect(t.story().filter((line) => /^(head|prompt|reply|turn_end)/.test(line))).toEqual([
    "prompt plan it",
    "reply calls ExitPlanMode",
    "turn_end aborted aborted_tools",
    "head clear",
    "prompt Carry out this plan, which I approved. Begin with your list of work.\n\n# Plan\n\nDo the one thing.\n",
    "reply Fresh and done.",
    "turn_end completed",
  ])
  expect(t.requests().at(-1)).toHaveLength(1)
})

test("another branch can be gone on with, and the first one again", async () => {
  await using t = await openTestSession({ script })
  await t.prompt("first")
  await t.prompt("second")
  await act(t, { type: "rewind", promptId: promptId(t, "second"), what: "conversation" })
  await t.prompt("another second")
  const [old, current] = await t.ask({ type: "branches" })
  expect([old?.isCurrent, current?.isCurrent]).toEqual([false, true])
  await act(t, { type: "switch", to: old?.tip ?? null })
  await t.prompt("third")
  expect(lastSaid(t)).toEqual(["first", "second", "third"])
  await act(t, { type: "switch", to: current?.tip ?? null })
  await t.prompt("fourth")
  expect(lastSaid(t)).toEqual(["first", "another second", "fourth"])
  await act(t, { type: "switch", to: "nowhere" })
  expect(t.story().at(-1)).toBe("notice There is no such branch of this conversation.")
})
