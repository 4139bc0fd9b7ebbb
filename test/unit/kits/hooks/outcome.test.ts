/** What a hook's end means for each event, as a table. */

import { expect, test } from "bun:test"
import fc from "fast-check"
import { type Meaning, nothing, type HookResult } from "#kits/hooks/meaning.ts"
import { hookEvents, type HookEvent } from "#kits/hooks/moments.ts"
import { asyncAnswer, meaningOf } from "#kits/hooks/outcome.ts"
import type { JsonObject } from "#lib/json.ts"

const exited = (exit: number, stdout = "", stderr = ""): HookResult => ({
  kind: "exited",
  exit,
  stdout,
  stderr,
  isCut: false,
})
const printed = (event: HookEvent, answer: JsonObject, exit = 0): Partial<Meaning> => {
  const { grants, contexts, says, complaints, ...rest } = meaningOf(event, exited(exit, JSON.stringify(answer)))
  const lists = { grants, contexts, says, complaints }
  return { ...rest, ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) }
}

const blocking: readonly HookEvent[] = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "PermissionRequest",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "SubagentStop",
  "PreCompact",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
  "ConfigChange",
  "Elicitation",
  "ElicitationResult",
  "PreModelSwitch",
  "WorktreeCreate",
  "WorktreeRemove",
]

test("code 2 blocks where something can be stopped, and is told to the person where it cannot", () => {
  for (const event of hookEvents) {
    const meaning = meaningOf(event, exited(2, "", " because \n"))
    expect([event, meaning]).toEqual([
      event,
      blocking.includes(event) ? { ...nothing, verdict: "deny", reason: "because" } : { ...nothing, says: ["because"] },
    ])
  }
})

test("plain text is context where a conversation or a prompt begins, and shown to the person elsewhere", () => {
  const told = hookEvents.filter((event) => meaningOf(event, exited(0, "words\n")).contexts.length > 0)
  expect(told).toEqual([
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SubagentStart",
    "PreCompact",
    "SessionStart",
    "PostModelSwitch",
  ])
  expect(meaningOf("PostToolUse", exited(0, "words\n"))).toEqual({ ...nothing, says: ["words"] })
  expect(meaningOf("PostToolUse", exited(0, " \n"))).toEqual(nothing)
})

test("other codes are failures, but JSON counts with every code", () => {
  expect(meaningOf("PreToolUse", exited(1, "", "oops\nmore"))).toEqual({
    ...nothing,
    failure: "it ended with code 1: oops",
  })
  expect(printed("PreToolUse", { decision: "block", reason: "no" }, 1)).toEqual({ verdict: "deny", reason: "no" })
  expect(printed("Stop", { decision: "block", reason: "no" }, 3)).toEqual({ verdict: "deny", reason: "no" })
})

test("code 2 cannot be talked away: an allow printed beside it, a changed input and a changed output do not count", () => {
  const answer = {
    systemMessage: "hello",
    hookSpecificOutput: {
      permissionDecision: "allow",
      updatedInput: { command: "x" },
      permissionDecisionReason: "fine",
    },
  }
  expect(printed("PreToolUse", answer, 2)).toEqual({ verdict: "deny", reason: "fine", says: ["hello"] })
})

test("each way to decide, old and new", () => {
  const pre = (specific: JsonObject) => printed("PreToolUse", { hookSpecificOutput: specific })
  expect(pre({ permissionDecision: "ask", permissionDecisionReason: "look" })).toEqual({
    verdict: "ask",
    reason: "look",
  })
  expect(pre({ permissionDecision: "defer" })).toEqual({ verdict: "defer" })
  expect(pre({ updatedInput: { a: 1 }, additionalContext: "c" })).toEqual({ updatedInput: { a: 1 }, contexts: ["c"] })
  expect(printed("PreToolUse", { decision: "approve" })).toEqual({ verdict: "allow" })
  // Approving means nothing where there is nothing to approve.
  expect(printed("Stop", { decision: "approve" })).toEqual({})
  // The new way counts where both are there.
  expect(
    printed("PreToolUse", { decision: "block", reason: "old", hookSpecificOutput: { permissionDecision: "allow" } }),
  ).toEqual({ verdict: "allow", reason: "old" })
  expect(printed("SessionEnd", { decision: "block", reason: "no" })).toEqual({ says: ["no"] })
  const request = (decision: JsonObject) => printed("PermissionRequest", { hookSpecificOutput: { decision } })
  expect(
    request({
      behavior: "allow",
      updatedInput: { a: 1 },
      updatedPermissions: [
        {
          type: "addRules",
          behavior: "allow",
          rules: [{ toolName: "Bash", ruleContent: "ls:*" }, { toolName: "Read" }, 5],
        },
        { type: "addRules", behavior: "deny", rules: [{ toolName: "Edit" }] },
        { type: "removeRules", behavior: "allow", rules: [{ toolName: "Edit" }] },
        "nonsense",
      ],
    }),
  ).toEqual({ verdict: "allow", updatedInput: { a: 1 }, grants: ["Bash(ls:*)", "Read"] })
  expect(request({ behavior: "deny", message: "no", interrupt: true })).toEqual({
    verdict: "deny",
    reason: "no",
    stop: "no",
  })
  expect(printed("PostToolUse", { hookSpecificOutput: { updatedToolOutput: { a: [1] } } })).toEqual({
    updatedOutput: { a: [1] },
  })
  expect(printed("PreToolUse", { hookSpecificOutput: { updatedToolOutput: "x" } })).toEqual({})
})

test("continue false stops; a prompt is not sent then", () => {
  expect(printed("PostToolUse", { continue: false, stopReason: "enough" })).toEqual({ stop: "enough" })
  expect(printed("PostToolUse", { continue: true, stopReason: "enough" })).toEqual({})
  expect(printed("UserPromptSubmit", { continue: false, stopReason: "enough" })).toEqual({
    verdict: "deny",
    reason: "enough",
    stop: "enough",
  })
})

test("long texts are cut with a note, and no character in two", () => {
  const { reason = "" } = meaningOf("PreToolUse", exited(2, "", "😀".repeat(20_000)))
  expect(reason.length).toBeLessThan(10_200)
  expect(reason.isWellFormed()).toBe(true)
  expect(reason.slice(-44)).toBe("[Cut here: the hook said 40,000 characters.]")
})

test("whatever a hook prints, there is a meaning, and only what blocks can deny", () => {
  const anything = fc.record({
    exit: fc.integer({ min: 0, max: 255 }),
    stdout: fc.oneof(
      fc.string(),
      fc.json(),
      fc.string().map((text) => `{${text}`),
    ),
    stderr: fc.string(),
    isCut: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.constantFrom(...hookEvents), anything, (event, ran) => {
      const meaning = meaningOf(event, { kind: "exited", ...ran })
      if (meaning.verdict === "deny") expect(blocking).toContain(event)
      if (ran.exit === 2 && blocking.includes(event)) expect(meaning.verdict).toBe("deny")
    }),
  )
})

test("random answers with the right names and any values are read or complained about", () => {
  const value = fc.jsonValue()
  const answer = fc.record(
    {
      continue: value,
      stopReason: value,
      decision: fc.oneof(value, fc.constantFrom("block", "approve")),
      reason: value,
      systemMessage: value,
      hookSpecificOutput: fc.oneof(
        value,
        fc.record(
          {
            permissionDecision: value,
            updatedInput: value,
            decision: value,
            additionalContext: value,
            hookEventName: value,
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.constantFrom(...hookEvents), answer, (event, said) => {
      const meaning = meaningOf(event, exited(0, JSON.stringify(said)))
      expect(meaning.failure).toBeUndefined()
      for (const text of [...meaning.contexts, ...meaning.says, ...meaning.complaints])
        expect(typeof text).toBe("string")
    }),
  )
})

test("a first line that says it goes on is understood, others are not", () => {
  expect(asyncAnswer('{"async":true}')).toEqual({})
  expect(asyncAnswer(' {"async":true,"asyncTimeout":1500} ')).toEqual({ timeoutMs: 1500 })
  expect(asyncAnswer('{"async":true,"asyncTimeout":"soon"}')).toEqual({})
  for (const line of ['{"async":false}', "async", '{"async":true', ""]) expect(asyncAnswer(line)).toBeUndefined()
})
