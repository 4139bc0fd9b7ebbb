/** Prompts that wait for hooks: what is interrupted meanwhile waits again, in its order, and what is refused never comes back. */

import { describe, expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import { openInbox, type WaitingPrompt } from "#session/journal/inbox.ts"
import { openAdmission } from "#session/turn/admission.ts"

const waiting = (text: string): WaitingPrompt => ({ promptId: text, content: [{ type: "text", text }], when: "steer" })
const [a, b, c] = [waiting("a"), waiting("b"), waiting("c")]

/** `hook` says why a prompt is refused. */
function open(hook: (prompt: string, turn: AbortController) => string | undefined, withdrawnBy?: string) {
  const inbox = openInbox()
  const recorded: EntryBody[] = []
  const turn = new AbortController()
  const said: string[] = []
  const admission = openAdmission({
    hooks: { guardsPrompts: () => true, beforePrompt: async ({ promptId }) => hook(promptId, turn) },
    inbox,
    turns: {
      withdrawal: () => (withdrawnBy === undefined ? undefined : { by: withdrawnBy, from: undefined }),
      said: () => void said.push("said"),
    },
    record: (body) => void recorded.push(body),
  })
  return { inbox, recorded, said, admission, signal: turn.signal }
}

const interrupts = (at: string) => (prompt: string, turn: AbortController) => {
  if (prompt === at) turn.abort()
  return undefined
}

describe("the prompt that begins a turn", () => {
  test("is refused for good: the log says so, and the turn ends", async () => {
    const { admission, recorded, inbox, signal } = open(() => "no")
    expect(await admission.first(a, signal)).toEqual({ reason: "blocked_by_hook", message: "no" })
    expect(recorded).toEqual([{ kind: "unsent", promptId: "a", why: "no" }])
    expect(inbox.texts()).toEqual([])
  })

  test("waits again before all others when it is interrupted, also by a hook that refuses it then", async () => {
    for (const why of [undefined, "no"]) {
      const { admission, recorded, inbox, signal } = open((_prompt, turn) => {
        turn.abort()
        return why
      })
      inbox.add(b)
      expect(await admission.first(a, signal)).toEqual({ reason: "aborted" })
      expect(recorded).toEqual([])
      expect(inbox.texts()).toEqual(["a", "b"])
    }
  })
})

describe("prompts between two steps", () => {
  test("those that are refused are left out and told of", async () => {
    const { admission, recorded, signal } = open((prompt) => (prompt === "b" ? "no" : undefined))
    expect(await admission.steering([a, b, c], signal)).toEqual([a, c])
    expect(recorded).toEqual([
      { kind: "unsent", promptId: "b", why: "no" },
      { kind: "notice", level: "warning", text: "no" },
    ])
  })

  test("an interrupt keeps those that were not let pass yet, in their order and before what came later", async () => {
    const { admission, recorded, inbox, signal } = open(interrupts("b"))
    inbox.add(waiting("later"))
    expect(await admission.steering([a, b, c], signal)).toEqual([a])
    expect(recorded).toEqual([])
    expect(inbox.texts()).toEqual(["b", "c", "later"])
  })
})

test("what an interrupt takes back is not put back into the queue: the log says that it was withdrawn", async () => {
  const { admission, recorded, inbox, signal } = open(interrupts("b"), "me")
  expect(await admission.steering([a, b, c], signal)).toEqual([a])
  expect(recorded).toEqual([
    {
      kind: "withdrawn",
      by: "me",
      prompts: [
        { promptId: "b", content: b.content },
        { promptId: "c", content: c.content },
      ],
    },
  ])
  expect(inbox.texts()).toEqual([])
})

test("what another face sent is not taken back: it waits again, and is sent next", async () => {
  const other = { ...waiting("b"), from: "another face" }
  const { admission, recorded, said, inbox, signal } = open(interrupts("b"), "me")
  expect(await admission.steering([a, other, c], signal)).toEqual([a])
  expect(recorded).toEqual([{ kind: "withdrawn", by: "me", prompts: [{ promptId: "c", content: c.content }] }])
  expect([inbox.texts(), said]).toEqual([["b"], ["said"]])
})
