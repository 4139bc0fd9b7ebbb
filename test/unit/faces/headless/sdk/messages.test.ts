/** Which events clients are told of, and in which shape. */

import { expect, test } from "bun:test"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Reason } from "#agent/words/permission.ts"
import { openEventMemory } from "#faces/headless/sdk/event-memory.ts"
import { envelopeOf } from "#faces/headless/sdk/envelope.ts"
import { sdkMessages } from "#faces/headless/sdk/messages.ts"
import { seededIds } from "#lib/ids.ts"

const envelope = envelopeOf("s", seededIds(1))
const told = (body: EntryBody): object | undefined =>
  sdkMessages(
    { cursor: "u", type: "entry", entry: { uuid: "u", parentUuid: null, at: 0, ...body } },
    envelope,
    openEventMemory(),
  )[0]
const common = { session_id: "s", uuid: "u" }
const result = (more: object): EntryBody =>
  ({ kind: "result", callId: "c", tool: "T", content: "text", isError: false, durationMs: 0, ...more }) as EntryBody
const denied = (reason: Reason): EntryBody => ({
  kind: "decision",
  callId: "c",
  tool: "Edit",
  behavior: "deny",
  reason,
  message: "no",
})

test("a result brings its fields for programs; a failure brings its words", () => {
  const block = { type: "tool_result", tool_use_id: "c", content: "text" }
  const message = {
    type: "user",
    message: { role: "user", content: [block] },
    parent_tool_use_id: null,
    timestamp: "1970-01-01T00:00:00.000Z",
    ...common,
  }
  expect(told(result({}))).toEqual({ ...message, tool_use_result: "text" })
  expect(told(result({ data: { a: 1 } }))).toEqual({ ...message, tool_use_result: { a: 1 } })
  expect(told(result({ isError: true }))).toEqual({
    ...message,
    message: { role: "user", content: [{ ...block, is_error: true }] },
    tool_use_result: "Error: text",
  })
})

test("a denial is told unless a person gave it", () => {
  expect(told(denied({ kind: "rule", rule: "Edit", source: "managed" }))).toEqual({
    type: "system",
    subtype: "permission_denied",
    tool_name: "Edit",
    tool_use_id: "c",
    message: "no",
    decision_reason_type: "rule",
    decision_reason: "The rule Edit (policySettings)",
    ...common,
  })
  expect(told(denied({ kind: "person" }))).toBeUndefined()
  expect(told({ ...denied({ kind: "read_only" }), behavior: "allow" } as EntryBody)).toBeUndefined()
})

test("a change of mode is a status, a notice is information", () => {
  expect(told({ kind: "mode", mode: "plan" })).toEqual({
    type: "system",
    subtype: "status",
    status: null,
    permissionMode: "plan",
    ...common,
  })
  expect(told({ kind: "notice", level: "warning", text: "Mind this." })).toEqual({
    type: "system",
    subtype: "informational",
    level: "warning",
    content: "Mind this.",
    ...common,
  })
})

test("a retry counts retries, not attempts", () => {
  const failure = { kind: "overloaded" as const, message: "Too busy.", status: 529 }
  const retry = { attempt: 1, of: 11, delayMs: 500, failure }
  expect(sdkMessages({ cursor: "u", type: "retry_wait", retry }, envelope, openEventMemory())[0]).toMatchObject({
    subtype: "api_retry",
    attempt: 1,
    max_retries: 10,
    retry_delay_ms: 500,
    error_status: 529,
    error: "overloaded",
  })
})

test("what is only for us is not told", () => {
  expect(told({ kind: "turn_start", turnId: "t" })).toBeUndefined()
  expect(told({ kind: "attachment", name: "x", text: "y" })).toBeUndefined()
})
