/** A chat of the Agent Host Protocol, folded from the events of a session: the same text whatever was late or lost. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import type { FleetEvent } from "#fleet/records.ts"
import type { JsonObject } from "#lib/json.ts"
import { openChatFold } from "#faces/web/ahp/chat-fold.ts"
import { type ChatAction, emptyChat } from "#faces/web/ahp/chat-state.ts"
import { block, delta, fact, outcome, question, replyEnd, said } from "../../../kit/ahp/lines.ts"
import { problemIn } from "../../../kit/ahp/shapes.ts"
import { runs } from "../../../kit/runs.ts"

type Given = readonly [FleetEvent["type"], string]

function played(given: readonly Given[]) {
  const fold = openChatFold(emptyChat("ahp-chat:/s", "Title", "2026-01-01T00:00:00.000Z"), new Map())
  const actions: ChatAction[] = []
  for (const [nth, [type, data]] of given.entries()) {
    for (const action of fold.onEvent({ seq: nth + 1, type, data }, 0)) {
      const params = { channel: "ahp-chat:/s", action: action as unknown as JsonObject, serverSeq: 1 }
      expect(problemIn({ method: "action", params }, undefined)).toBeUndefined()
      actions.push(action)
    }
  }
  return { fold, actions, types: actions.map(({ type }) => type) }
}

const entry = (line: string): Given => ["entry", line]
const begin = (promptId: string, text: string): readonly Given[] => [
  entry(fact("turn_start", { turnId: `turn of ${promptId}` })),
  entry(said(promptId, text)),
]
const end = (reason: string, more: JsonObject = {}): Given => entry(fact("turn_end", { turnId: "t", reason, ...more }))
const use = (id: string, command: string): JsonObject => ({ type: "tool_use", id, name: "Bash", input: { command } })
const approval = (id: string, digest: string, state: string): Given => [
  "approval",
  JSON.stringify({ id, digest, state }),
]

test("text grows as it comes, a turn has the name of its prompt, and usage adds up", () => {
  const { fold, types } = played([
    ...begin("p1", "Hello"),
    ["moment", delta("e", 1, "m", { type: "block_start", index: 0, block: { type: "text", text: "" } })],
    ["moment", delta("e", 2, "m", { type: "text_delta", index: 0, text: "Good" })],
    ["moment", delta("e", 3, "m", { type: "text_delta", index: 0, text: " day" })],
    entry(block("m", { type: "text", text: "Good day to you." })),
    entry(replyEnd("m")),
    entry(replyEnd("m2")),
    end("completed"),
  ])
  expect(types).toEqual([
    "chat/turnStarted",
    "chat/responsePart",
    "chat/delta",
    "chat/delta",
    "chat/usage",
    "chat/usage",
    "chat/turnComplete",
  ])
  expect(fold.state()).toMatchObject({
    status: 1,
    turns: [
      {
        id: "p1",
        message: { text: "Hello", origin: { kind: "user" } },
        responseParts: [{ kind: "markdown", content: "Good day to you." }],
        usage: { inputTokens: 20, outputTokens: 10, cacheReadTokens: 6, model: "sim" },
        state: "complete",
      },
    ],
  })
})

test("whatever deltas are late or lost, a chat says what the log says", () => {
  const words = fc.array(fc.stringMatching(/^[a-z ]{1,6}$/), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 1, maxLength: 3 }),
      fc.infiniteStream(fc.nat({ max: 5 })),
      (blocks, chance) => {
        const pick = (): number => chance.next().value ?? 0
        const given: Given[] = [...begin("p", "Go")]
        const late: Given[] = []
        let number = 0
        for (const [index, pieces] of blocks.entries()) {
          const deltas = [
            delta("e", ++number, "m", { type: "block_start", index, block: { type: "text", text: "" } }),
            ...pieces.map((text) => delta("e", ++number, "m", { type: "text_delta", index, text })),
          ]
          for (const each of deltas) {
            const how = pick()
            // Some are lost, some come after the entry that has everything.
            if (how === 1) late.push(["moment", each])
            else if (how > 1) given.push(["moment", each])
          }
          given.push(entry(block("m", { type: "text", text: pieces.join("") })))
          if (pick() > 2) given.push(...late.splice(0))
        }
        const { fold } = played([...given, entry(replyEnd("m")), ...late, end("completed")])
        const [turn] = fold.state().turns
        const shown = turn?.responseParts.map((part) => (part.kind === "markdown" ? part.content : part.kind))
        expect(shown).toEqual(blocks.map((pieces) => pieces.join("")))
      },
    ),
    runs(150),
  )
})

test("a call waits for a decision about exactly what is shown", () => {
  const asked = question("q", "c", "rm a", "d1")
  const { fold, types } = played([
    ...begin("p", "Remove it"),
    entry(block("m", use("c", "rm a"))),
    entry(fact("question", { question: asked as unknown as JsonObject })),
    approval("q", "d1", "open"),
  ])
  expect(types).toEqual(["chat/turnStarted", "chat/toolCallStart", "chat/toolCallReady"])
  expect(fold.state()).toMatchObject({
    status: 24,
    activeTurn: {
      responseParts: [
        {
          toolCall: {
            status: "pending-confirmation",
            invocationMessage: "Bash rm a",
            options: [
              { id: "allow:d1" },
              { id: "session:d1", label: "Allow rm a for this session" },
              { id: "deny:d1" },
            ],
          },
        },
      ],
    },
  })
  expect(fold.open("c")).toEqual({ id: "q", digest: "d1", kind: "permission" })
})

test("a call that is asked about anew is shown anew, and only the newest waits", () => {
  const { fold } = played([
    ...begin("p", "Remove it"),
    entry(block("m", use("c", "rm a"))),
    entry(fact("question", { question: question("q", "c", "rm a", "d1") as unknown as JsonObject })),
    approval("q", "d1", "open"),
    entry(fact("question", { question: question("q", "c", "rm b", "d2") as unknown as JsonObject })),
    approval("q", "d1", "void"),
    approval("q", "d2", "open"),
  ])
  expect(fold.open("c")).toMatchObject({ digest: "d2" })
  expect(JSON.stringify(fold.state())).not.toContain("allow:d1")
})

test.each([
  ["allowed", [outcome("c", "gone")], { status: "completed", success: true, confirmed: "user-action" }],
  [
    "allowed",
    [outcome("c", "no such file", true)],
    { status: "completed", success: false, error: { message: "no such file" } },
  ],
  ["denied", [outcome("c", "The user declined.")], { status: "cancelled", reason: "denied" }],
  ["expired", [], { status: "cancelled", reasonMessage: "Nobody decided in time." }],
] as const)("a decision: %s", (state, lines, expected) => {
  const { fold } = played([
    ...begin("p", "Remove it"),
    entry(block("m", use("c", "rm a"))),
    entry(fact("question", { question: question("q", "c", "rm a", "d1") as unknown as JsonObject })),
    approval("q", "d1", "open"),
    approval("q", "d1", state),
    ...lines.map(entry),
    end("completed"),
  ])
  expect(fold.state()).toMatchObject({ turns: [{ responseParts: [{ toolCall: expected }] }] })
  expect(fold.open("c")).toBeUndefined()
})

test("a call of an agent is shown with its question, although the log has no such call", () => {
  const { fold } = played([
    ...begin("p", "Look"),
    entry(fact("question", { question: question("q", "of-agent", "rm a", "d1") as unknown as JsonObject })),
    approval("q", "d1", "open"),
    approval("q", "d1", "allowed"),
  ])
  expect(fold.state()).toMatchObject({
    status: 8,
    activeTurn: { responseParts: [{ toolCall: { toolCallId: "of-agent", status: "completed" } }] },
  })
})

test("turns end as they ended: interrupted, failed, or left behind by a session that failed", () => {
  const one = (...rest: readonly Given[]) => played([...begin("p", "Go"), ...rest]).fold.state()
  expect(one(end("aborted"))).toMatchObject({ status: 1, turns: [{ state: "cancelled" }] })
  const failed = { state: "error", error: { errorType: "overloaded", message: "Busy." } }
  expect(one(end("error", { cause: "overloaded", message: "Busy." }))).toMatchObject({ status: 2, turns: [failed] })
  const stage = (name: string): Given => ["stage", JSON.stringify({ stage: name })]
  expect(one(stage("failed"))).toMatchObject({ status: 2, turns: [{ error: { message: "The session failed." } }] })
  expect(one(stage("cancelled"))).toMatchObject({ turns: [{ state: "cancelled" }] })
  // What waits when a turn ends waits no longer.
  const waiting = one(entry(block("m", use("c", "rm a"))), end("aborted"))
  expect(waiting).toMatchObject({
    turns: [{ responseParts: [{ toolCall: { status: "cancelled", reason: "skipped" } }] }],
  })
})

test("what is rewound is gone", () => {
  const first = fact("turn_end", { turnId: "t", reason: "completed" })
  const { uuid } = JSON.parse(first) as { uuid: string }
  const { fold } = played([
    ...begin("p1", "One"),
    entry(first),
    ...begin("p2", "Two"),
    end("completed"),
    entry(fact("head", { to: uuid, why: "rewind", prompt: "Two" })),
  ])
  expect(fold.state().turns.map(({ id }) => id)).toEqual(["p1"])
})

test("lines that no version knows change nothing", () => {
  const { types } = played([
    entry("not json"),
    entry("{}"),
    entry(fact("of the future", { a: 1 })),
    ["moment", '{"type":"of the future"}'],
    ["approval", "{}"],
    ["stage", "[]"],
  ])
  expect(types).toEqual([])
})
