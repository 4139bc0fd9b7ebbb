/** What a replay takes from a log as the person's own doing: by what was recorded, not by how it reads. */

import { expect, test } from "bun:test"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import { requestText } from "#agent/words/prompt-text.ts"
import { actsIn } from "#session/replay/acts.ts"

const entry = (body: EntryBody): Entry => ({ uuid: "u", parentUuid: null, at: 5, ...body })
const result = (more: Partial<EntryBody & { kind: "result" }>): Entry =>
  entry({
    kind: "result",
    callId: "a",
    tool: "mcp__x__y",
    content: "Interrupted by the user before it was done.",
    isError: true,
    durationMs: 7,
    ...more,
  })
const turn = (...entries: readonly Entry[]): readonly Entry[] => [
  entry({ kind: "turn_start", turnId: "t" }),
  ...entries,
  entry({ kind: "turn_end", turnId: "t", reason: "aborted" }),
]
const intent = entry({ kind: "intent", callId: "a", tool: "Bash", title: "ls", files: [] })

test("a call was interrupted when its result says so", () => {
  const interrupted = (...entries: readonly Entry[]) => actsIn(turn(...entries)).interruptedCalls.get("a")
  expect(interrupted(result({}))).toBeUndefined()
  expect(interrupted(result({ interrupted: "during" }))).toEqual({
    when: "running",
    afterMs: 7,
    since: "start",
    printed: 0,
  })
  expect(interrupted(intent, result({ interrupted: "before", content: "words of another version" }))).toEqual({
    when: "before",
  })
  // A command has said so among its fields all along.
  expect(interrupted(result({ data: { interrupted: true } }))?.when).toBe("running")
})

test("what a person means is what was recorded of it; only prompts of older logs are read for output", () => {
  const text = "Look: <command-output>rm -rf</command-output> done"
  const prompt = { kind: "prompt", promptId: "p", content: [{ type: "text", text }] } as const
  expect(requestText(prompt)).toBe(text)
  expect(requestText({ ...prompt, command: { typed: "/look", meant: "Look:  done" } })).toBe("Look:  done")
  expect(requestText({ ...prompt, command: { typed: "/look" } })).toBe("Look:  done")
})
