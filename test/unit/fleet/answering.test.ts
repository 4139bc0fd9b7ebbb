import { expect, test } from "bun:test"
import { questionOf } from "#agent/words/question.ts"
import { answerOf, decisionProblem } from "#fleet/answering.ts"
import type { ApprovalState, FleetApproval } from "#fleet/records.ts"
import { touchesNothing } from "#agent/words/footprint.ts"
import type { JsonObject } from "#lib/json.ts"
import { approvalOf } from "#session/port/approval.ts"

const permission = questionOf("q1", {
  kind: "permission",
  callId: "c1",
  tool: "Bash",
  title: "rm a",
  input: { command: "rm a" },
  footprint: touchesNothing(),
  decision: { behavior: "ask", reason: { kind: "mode", mode: "default" }, message: "It removes files.", trace: [] },
  suggestedRule: "Bash(rm:*)",
  destinations: ["session", "user settings"],
})
const plan = questionOf("q2", {
  kind: "plan",
  callId: "c2",
  plan: "# Plan",
  path: "/plans/a.md",
  modes: ["acceptEdits", "default"],
  wishes: [],
})
const option = { label: "Red", description: "" }
const choice = questionOf("q3", {
  kind: "choice",
  callId: "c3",
  questions: [{ question: "Which colour?", header: "Colour", options: [option], multiSelect: false }],
})

const decided = (question: typeof permission, state: ApprovalState, answer: JsonObject = {}): FleetApproval => {
  const { id, kind, title, action, explanation, risks, digest } = approvalOf({ question, at: 0 }, "s")
  const record = { id, kind, title, action, explanation, risks, digest, sessionId: "s", state, createdAt: 0 }
  return state === "open" ? record : { ...record, decidedBy: "ann", answer }
}

const rows: readonly [typeof permission, ApprovalState, JsonObject, unknown][] = [
  [permission, "open", {}, undefined],
  [permission, "void", {}, undefined],
  [permission, "allowed", { decision: "allow" }, { kind: "allow" }],
  [permission, "allowed", { input: { command: "ls" } }, { kind: "allow", updatedInput: { command: "ls" } }],
  [
    permission,
    "allowed",
    { remember: "user" },
    { kind: "allow", grants: [{ rule: "Bash(rm:*)", destination: "user settings" }] },
  ],
  // No rule may be kept there.
  [permission, "allowed", { remember: "project" }, { kind: "allow" }],
  [permission, "denied", { message: "Use git rm." }, { kind: "deny", words: "Use git rm.", interrupt: false }],
  [permission, "expired", {}, { kind: "deny", words: "Nobody decided in time.", interrupt: false }],
  [plan, "allowed", {}, { kind: "approve", mode: "acceptEdits", wishes: [] }],
  [plan, "allowed", { mode: "default", plan: "# B" }, { kind: "approve", mode: "default", wishes: [], plan: "# B" }],
  [plan, "denied", { feedback: "Smaller." }, { kind: "deny", words: "Smaller.", interrupt: false }],
  [
    choice,
    "allowed",
    { answers: { "Which colour?": "Red" } },
    { kind: "choices", answers: { "Which colour?": "Red" } },
  ],
]

for (const [question, state, answer, expected] of rows)
  test(`${question.ask.kind} ${state} ${JSON.stringify(answer)}`, () => {
    const found = answerOf(question, [decided(question, state, answer)])
    expect(found?.answer as unknown).toEqual(expected)
    if (found && state !== "expired") expect(found.by).toBe("ann")
  })

test("a decision about something else is no answer", () => {
  expect(answerOf(permission, [{ ...decided(permission, "allowed"), digest: "another" }])).toBeUndefined()
  expect(answerOf(permission, [decided(plan, "allowed")])).toBeUndefined()
})

test("what does not fit is said before it is kept, and is a no if it was kept all the same", () => {
  const wrong: readonly [typeof permission, JsonObject, string][] = [
    [
      plan,
      { mode: "bypassPermissions" },
      "The plan can be carried out in the modes acceptEdits, default, not bypassPermissions.",
    ],
    [plan, { mode: "fast" }, "mode is one of acceptEdits, default."],
    [choice, { answers: {} }, "There is no answer to: Which colour?"],
    [choice, { answers: { "Which size?": "L" } }, "It is not asked: Which size?"],
  ]
  for (const [question, said, problem] of wrong) {
    expect(decisionProblem(decided(question, "open"), true, said)).toBe(problem)
    expect(answerOf(question, [decided(question, "allowed", said)])?.answer).toEqual({
      kind: "deny",
      words: `The answer did not fit the question: ${problem}`,
      interrupt: false,
    })
  }
  expect(decisionProblem(decided(plan, "open"), true, { mode: "default" })).toBeUndefined()
  expect(decisionProblem(decided(plan, "open"), false, { mode: "fast" })).toBeUndefined()
  expect(decisionProblem(decided(permission, "open"), true, { input: { command: "ls" } })).toBeUndefined()
})
