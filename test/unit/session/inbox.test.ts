/** Prompts that wait: in which order they are taken, and what may be sent between two steps. */

import { expect, test } from "bun:test"
import type { Entry } from "#agent/words/entry.ts"
import { openInbox, type WaitingPrompt } from "#session/journal/inbox.ts"

const prompt = (text: string, more: Partial<WaitingPrompt> = {}): WaitingPrompt => ({
  promptId: text,
  content: [{ type: "text", text }],
  when: "steer",
  ...more,
})

const idsOf = (prompts: readonly WaitingPrompt[]): readonly string[] => prompts.map(({ promptId }) => promptId)

test("what follows a command waits for it; a path or text that looks like one does not count", () => {
  const inbox = openInbox()
  for (const one of [
    prompt("first"),
    prompt("later", { when: "queue" }),
    prompt("/etc is full", { when: "queue", as: "text" }),
    prompt("second"),
    prompt("/clear", { when: "queue" }),
    prompt("after it"),
  ])
    inbox.add(one)
  expect(idsOf(inbox.takeSteering())).toEqual(["first", "second"])
  expect(idsOf(inbox.takeSteering())).toEqual([])
  expect([inbox.next(), inbox.next(), inbox.next(), inbox.next()].map((one) => one?.promptId)).toEqual([
    "later",
    "/etc is full",
    "/clear",
    "after it",
  ])
})

test("while it is held nothing is taken, until it is released or something new comes", () => {
  const inbox = openInbox()
  inbox.add(prompt("one"))
  inbox.pause()
  expect([inbox.next(), ...inbox.takeSteering()]).toEqual([undefined])
  inbox.add(prompt("two"))
  expect(inbox.next()?.promptId).toBe("one")
  inbox.pause()
  inbox.release()
  expect(inbox.next()?.promptId).toBe("two")
})

test("a prompt is known from the moment it was put, and from every entry that names it", () => {
  const inbox = openInbox()
  inbox.add(prompt("put"))
  const entry = { uuid: "u", parentUuid: null, at: 0, content: [], when: "queue" } as const
  inbox.follower.onEntry?.({ ...entry, kind: "queued", promptId: "queued" })
  inbox.follower.onEntry?.({ ...entry, kind: "prompt", promptId: "prompt" } as Entry)
  expect(["put", "queued", "prompt", "other"].map(inbox.knows)).toEqual([true, true, true, false])
})
