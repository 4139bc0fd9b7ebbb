/** What a turn's events come to: the tally, the result message and the exit code. */

import { describe, expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import { noUsage } from "#agent/words/model.ts"
import type { Reason } from "#agent/words/permission.ts"
import { exitCode } from "#faces/headless/exit.ts"
import { errorWord, resultMessage } from "#faces/headless/result.ts"
import { foldTally, noTally, type Tally } from "#faces/headless/tally.ts"
import { sdkUsage } from "#faces/headless/usage.ts"
import type { SessionState } from "#agent/words/state.ts"
import { paperState } from "../../../kit/paper-session.ts"

const start: EntryBody = { kind: "turn_start", turnId: "t" }
const usage = { ...noUsage, input_tokens: 10, output_tokens: 5 }
const says = (messageId: string, text: string): EntryBody => ({
  kind: "reply",
  messageId,
  model: "m",
  block: { type: "text", text },
  usage: noUsage,
})
const ends = (messageId: string, how: string): EntryBody => ({
  kind: "reply_end",
  messageId,
  model: "m",
  ...(how === "orphaned" || how === "aborted" ? { stopReason: null, cut: how } : { stopReason: how }),
  usage,
  costUsd: 0.5,
  durationMs: 7,
})
const end = (more: object): EntryBody => ({ kind: "turn_end", turnId: "t", ...more }) as EntryBody
const denied = (reason: Reason): readonly EntryBody[] => [
  { kind: "decision", callId: "c", tool: "Edit", behavior: "deny", reason, message: "no" },
  {
    kind: "result",
    callId: "c",
    tool: "Edit",
    content: "no",
    isError: true,
    denied: { input: { a: 1 } },
    durationMs: 0,
  },
]

const tallied = (...bodies: readonly EntryBody[]): Tally =>
  bodies.reduce(
    (tally, body, i) =>
      foldTally(
        tally,
        { cursor: `u${i}`, type: "entry", entry: { uuid: `u${i}`, parentUuid: null, at: 100 * i, ...body } },
        { now: () => 100 * i },
      ),
    noTally,
  )

const state: SessionState = {
  ...paperState,
  costUsd: 1.5,
  spending: { m: { usage, costUsd: 1.5 } },
  turns: 1,
  lastEnd: "completed",
}
const context = {
  sessionId: "s",
  uuid: "u",
  state,
  factsOf: (id: string) => ({ id, provider: "anthropic", window: 200, maxOutput: 20 }),
  now: 1_000,
  index: 0,
}

test("the text is that of the last answer; an answer that was cut off counts for the cost only", () => {
  const tally = tallied(
    start,
    says("m1", "First."),
    ends("m1", "tool_use"),
    says("m2", "Cut"),
    { kind: "orphan", messageId: "m2", why: "broken" },
    ends("m2", "orphaned"),
    says("m3", "Second, "),
    says("m3", "and last."),
    ends("m3", "end_turn"),
    end({ reason: "completed" }),
  )
  expect(resultMessage(tally, context)).toEqual({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "Second, and last.",
    duration_ms: 900,
    duration_api_ms: 21,
    num_turns: 2,
    stop_reason: "end_turn",
    total_cost_usd: 1.5,
    usage: sdkUsage({ ...noUsage, input_tokens: 30, output_tokens: 15 }),
    modelUsage: {
      m: {
        inputTokens: 10,
        outputTokens: 5,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: 0,
        webSearchRequests: 0,
        costUSD: 1.5,
        contextWindow: 200,
        maxOutputTokens: 20,
      },
    },
    permission_denials: [],
    terminal_reason: "completed",
    result_index: 0,
    session_id: "s",
    uuid: "u",
  })
})

describe("ends", () => {
  const cases: readonly (readonly [name: string, end: object, result: object, plain: number, detailed: number])[] = [
    [
      "turns",
      { reason: "max_turns" },
      { subtype: "error_max_turns", num_turns: 2, terminal_reason: "max_turns" },
      1,
      4,
    ],
    [
      "budget",
      { reason: "max_budget" },
      { subtype: "error_max_budget_usd", num_turns: 1, terminal_reason: "budget_exhausted" },
      1,
      4,
    ],
    [
      "interrupted",
      { reason: "aborted", cause: "aborted_tools" },
      { subtype: "error_during_execution", terminal_reason: "aborted_tools", errors: ["The run was interrupted."] },
      130,
      130,
    ],
    [
      "overloaded",
      { reason: "error", cause: "overloaded", status: 529, message: "Too busy." },
      { subtype: "success", result: "API Error: 529 Too busy.", api_error_status: 529, num_turns: 2 },
      1,
      5,
    ],
    [
      "refused",
      { reason: "error", cause: "refusal", message: "No." },
      { subtype: "success", result: "API Error: No.", num_turns: 1, terminal_reason: "api_error" },
      1,
      1,
    ],
    [
      "too long",
      { reason: "error", cause: "too_long", status: 400, message: "Too long." },
      { subtype: "success", terminal_reason: "prompt_too_long" },
      1,
      1,
    ],
    [
      "our own mistake",
      { reason: "error", cause: "log", message: "No space." },
      { subtype: "error_during_execution", errors: ["No space."] },
      1,
      1,
    ],
  ] as const
  for (const [name, reason, result, plain, detailed] of cases)
    test(name, () => {
      const tally = tallied(start, says("m1", "First."), ends("m1", "tool_use"), end(reason))
      const message = resultMessage(tally, context)
      expect(message).toMatchObject({ is_error: true, ...result })
      expect([exitCode(tally, "plain"), exitCode(tally, "detailed")]).toEqual([plain, detailed])
    })

  test("an answer that was interrupted has no reason to have stopped", () => {
    const tally = tallied(start, says("m1", "Fir"), ends("m1", "aborted"), end({ reason: "aborted" }))
    expect(resultMessage(tally, context)).toMatchObject({ stop_reason: null, terminal_reason: "aborted_streaming" })
  })

  test("a mistake of ours is not told as one of the provider's", () => {
    const message = resultMessage(tallied(start, end({ reason: "error", cause: "log", message: "No space." })), context)
    expect(Object.keys(message)).not.toContain("terminal_reason")
    expect(Object.keys(message)).not.toContain("api_error_status")
  })

  test("nothing happened at all", () => {
    expect(exitCode(noTally, "plain")).toBe(1)
    expect(resultMessage(noTally, context)).toMatchObject({ subtype: "error_during_execution", is_error: true })
  })
})

describe("denials", () => {
  const done = end({ reason: "completed" })
  const listed = { tool_name: "Edit", tool_use_id: "c", tool_input: { a: 1 } }

  test("are all listed; only those that wanted a person make the detailed code 3", () => {
    const reasons: readonly (readonly [Reason, number])[] = [
      [{ kind: "no_one_to_ask" }, 3],
      [{ kind: "mode", mode: "dontAsk" }, 3],
      [{ kind: "mode", mode: "plan" }, 0],
      [{ kind: "rule", rule: "Edit", source: "user settings" }, 0],
      [{ kind: "person" }, 0],
    ]
    for (const [reason, code] of reasons) {
      const tally = tallied(start, ...denied(reason), done)
      expect(resultMessage(tally, context)).toMatchObject({ is_error: false, permission_denials: [listed] })
      expect([exitCode(tally, "plain"), exitCode(tally, "detailed")]).toEqual([0, code])
    }
  })

  test("of an earlier turn are that turn's", () => {
    const tally = tallied(start, ...denied({ kind: "no_one_to_ask" }), done, start, done)
    expect(exitCode(tally, "detailed")).toBe(0)
  })
})

test("each failure has the word that clients know", () => {
  const words = [
    "unauthorized",
    "rate_limited",
    "overloaded",
    "rejected",
    "max_output_tokens",
    "server",
    "strange",
  ].map((cause) => errorWord(tallied(start, end({ reason: "error", cause }))))
  expect(words).toEqual([
    "authentication_failed",
    "rate_limit",
    "overloaded",
    "invalid_request",
    "max_output_tokens",
    "server_error",
    "unknown",
  ])
})
