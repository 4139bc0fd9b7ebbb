/** Queued prompts that are taken back, and commands that wait for their turn. */

import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { isEntry, openTestSession, type TestSession } from "../../kit/open-test-session.ts"
import { bash, calls, says } from "../../kit/script.ts"

/** Ends once the test has said what it wants to say. */
const waits = bash("until [ -e go ]; do sleep 0.01; done; touch gone; echo went")
const letGo = (t: TestSession): void => writeFileSync(t.path("go"), "")
const said = (t: TestSession): string[] =>
  t.story().filter((line) => /^(prompt|queued|withdrawn|shell|head)/.test(line))

test("the last queued prompt is taken back; the others are delivered", async () => {
  await using t = await openTestSession({ script: [calls(waits), says("Yes.")] })
  const ended = t.prompt("work")
  await t.until(isEntry("intent"))
  t.say("one", "steer")
  t.say("two", "steer")
  await t.session.submit({ type: "withdraw", what: "last", by: "me" })
  letGo(t)
  await ended
  expect(said(t)).toEqual(["prompt work", "queued one", "queued two", "withdrawn two", "prompt one"])
  expect(await t.until(isEntry("withdrawn"))).toMatchObject({
    entry: { by: "me", prompts: [{ content: [{ type: "text", text: "two" }] }] },
  })
})

test("an interrupt that takes everything back leaves nothing to run, now or after a resume", async () => {
  await using t = await openTestSession({ script: [calls(waits), says("Flowers.")] })
  t.say("work")
  await t.until(isEntry("intent"))
  t.say("DELETE EVERYTHING", "steer")
  await t.session.submit({ type: "shell", command: "rm -rf ." })
  await t.session.submit({ type: "interrupt", withdraw: "me" })
  await t.settled()
  await using again = await t.reopen()
  await again.prompt("think of flowers")
  expect(said(again)).toEqual([
    "prompt work",
    "queued DELETE EVERYTHING",
    "queued rm -rf .",
    "withdrawn DELETE EVERYTHING, rm -rf .",
    "prompt think of flowers",
  ])
})

test("taking back where nothing waits records nothing", async () => {
  await using t = await openTestSession({ script: [says("Hello.")] })
  expect(await t.session.submit({ type: "withdraw", what: "all", by: "me" })).toEqual({ ok: true, value: undefined })
  await t.prompt("hi")
  expect(said(t)).toEqual(["prompt hi"])
})

test("a shell command typed while a turn runs waits for its end, and what follows it waits for the command", async () => {
  await using t = await openTestSession({ script: [calls(waits), says("Done."), says("And that.")] })
  const ended = t.prompt("work")
  await t.until(isEntry("intent"))
  t.say("before", "steer")
  await t.session.submit({ type: "shell", command: "echo mine" })
  t.say("after", "steer")
  expect(await t.until(({ type }) => type === "queue_change")).toBeDefined()
  letGo(t)
  await ended
  await t.settled()
  expect(said(t)).toEqual([
    "prompt work",
    "queued before",
    "queued echo mine",
    "queued after",
    "prompt before",
    "shell echo mine: mine",
    "prompt after",
  ])
})

test("a queued shell command that had begun when the program ended is not run again", async () => {
  await using t = await openTestSession({ script: [calls(waits), says("Done.")] })
  t.say("work")
  await t.until(isEntry("intent"))
  await t.session.submit({ type: "shell", command: "echo once >> runs; sleep 60" })
  letGo(t)
  await t.until((event) => event.type === "entry" && event.entry.kind === "intent" && event.entry.tool === "!")
  await using again = await t.reopen()
  await again.settled()
  expect(said(again).filter((line) => line.startsWith("queued"))).toHaveLength(1)
  const waiting = await again.session.submit({ type: "withdraw", what: "all", by: "me" })
  expect(waiting.ok).toBe(true)
  expect(said(again).filter((line) => line.startsWith("withdrawn"))).toEqual([])
})

const shows = { type: "prompt", content: [{ type: "text", text: "/branches" }], when: "queue", holds: true } as const

test("behind a command that holds the queue nothing is delivered until it is released, or something new is said", async () => {
  const extensions = { claudeFolder: "/nonexistent", bundled: false }
  const script = [calls(waits), says("One."), says("Two."), says("Three.")]
  await using t = await openTestSession({ script, extensions })
  const ended = t.prompt("work")
  await t.until(isEntry("intent"))
  await t.session.submit(shows)
  t.say("after", "steer")
  letGo(t)
  await ended
  await t.settled()
  expect(said(t).at(-1)).toBe("queued after")
  await t.session.submit({ type: "release" })
  await t.settled()
  expect(said(t).at(-1)).toBe("prompt after")
  await t.session.submit({ type: "release" })
  await t.session.submit(shows)
  await t.settled()
  await t.prompt("new")
  expect(said(t).at(-1)).toBe("prompt new")
})
