import { expect, test } from "bun:test"
import { questionOf } from "#agent/words/question.ts"
import { answerOf, decisionProblem } from "#fleet/answering.ts"
import type { FleetApproval } from "#fleet/records.ts"
import { touchesNothing, writes } from "#agent/words/footprint.ts"
import { reviewCheck } from "#agent/words/gates.ts"
import type { JsonObject } from "#lib/json.ts"
import { approvalOf, type ApprovalState } from "#session/port/approval.ts"

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
  wishes: [{ prompt: "run tests", covers: "npm test" }, { prompt: "build" }],
})
const compound = questionOf("q4", {
  kind: "permission",
  callId: "c4",
  tool: "Bash",
  title: "npm install && npm test",
  input: { command: "npm install && npm test" },
  footprint: touchesNothing(),
  decision: { behavior: "ask", reason: { kind: "default" }, message: "It runs code.", trace: [] },
  parts: ["install", "test"].map((name) => ({
    text: `npm ${name}`,
    needsConsent: true,
    why: "runs code",
    rule: `Bash(npm ${name}:*)`,
  })),
  destinations: ["session"],
})
const edit = questionOf("q5", {
  kind: "permission",
  callId: "c5",
  tool: "Edit",
  title: "Edit a.ts",
  input: { file_path: "/a.ts" },
  footprint: writes("/a.ts"),
  decision: { behavior: "ask", reason: { kind: "default" }, message: "It changes a file.", trace: [] },
  suggestions: { rules: [], mode: "acceptEdits" },
})
const review = questionOf("q6", {
  kind: "permission",
  callId: "c6",
  tool: "Bash",
  title: "touch a",
  input: { command: "touch a" },
  footprint: touchesNothing(),
  decision: { behavior: "ask", reason: { kind: "tool_check", check: reviewCheck }, message: "It is new.", trace: [] },
})
const option = { label: "Red", description: "" }
const choice = questionOf("q3", {
  kind: "choice",
  callId: "c3",
  questions: [{ question: "Which colour?", header: "Colour", options: [option], multiSelect: false }],
})

test("a written rule is saved beside those that are named, and never one that could not have been sent", () => {
  const saved = (answer: JsonObject): unknown => {
    const found = answerOf(compound, [decided(compound, "allowed", answer)])?.answer
    return found?.kind === "allow" ? found.grants?.map(({ rule }) => rule) : found
  }
  const remember = "session"
  expect(saved({ remember, written: ["Bash(npm:*)"] })).toEqual(["Bash(npm:*)"])
  expect(saved({ remember, rules: ["Bash(npm test:*)"], written: ["Bash(npm i*)"] })).toEqual([
    "Bash(npm test:*)",
    "Bash(npm i*)",
  ])
  // As if somebody had written into the database.
  expect(saved({ remember, rules: [], written: ["Bash", "Bash(*)", "Edit(//**)", "Bash(sh -c:*)"] })).toBeUndefined()
  expect(saved({ remember: "user", written: ["Bash(npm:*)"] })).toBeUndefined()
})

const decided = (question: typeof permission, state: ApprovalState, answer: JsonObject = {}): FleetApproval => {
  const record = { ...approvalOf(question), sessionId: "s", state, createdAt: 0 }
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
  [
    plan,
    "allowed",
    { wishes: ["run tests"], fresh: true },
    { kind: "approve", mode: "acceptEdits", wishes: ["run tests"], fresh: true },
  ],
  [plan, "denied", { feedback: "Smaller." }, { kind: "deny", words: "Smaller.", interrupt: false }],
  [plan, "denied", { feedback: "So.", plan: "# B" }, { kind: "deny", words: "So.", interrupt: false, plan: "# B" }],
  [
    compound,
    "allowed",
    { remember: "session", rules: ["Bash(npm test:*)"] },
    { kind: "allow", grants: [{ rule: "Bash(npm test:*)", destination: "session" }] },
  ],
  [
    compound,
    "allowed",
    { remember: "session" },
    {
      kind: "allow",
      grants: ["install", "test"].map((name) => ({ rule: `Bash(npm ${name}:*)`, destination: "session" })),
    },
  ],
  [edit, "allowed", { mode: "acceptEdits" }, { kind: "allow", mode: "acceptEdits" }],
  // Another answer has switched to it meanwhile, or it never was offered.
  [edit, "allowed", { mode: "bypassPermissions", rules: ["Edit"], remember: "session" }, { kind: "allow" }],
  [permission, "allowed", { mode: "acceptEdits" }, { kind: "allow" }],
  [
    review,
    "denied",
    { message: "Rename it.", keep: true },
    { kind: "deny", words: "Rename it.", interrupt: false, keep: true },
  ],
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
    [plan, { wishes: ["delete everything"] }, "The plan does not ask for: delete everything"],
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

test("nothing is kept that asks for more than was offered", () => {
  const wishes: readonly [typeof permission, JsonObject, string | undefined][] = [
    [permission, { remember: "user", rules: ["Bash"] }, "This rule is not offered: Bash"],
    [permission, { remember: "user", rules: ["Bash(rm:*)"] }, undefined],
    [permission, { remember: "session" }, undefined],
    [permission, { remember: "project" }, "remember is one of session, user."],
    [permission, { rules: ["Bash(rm:*)"] }, "rules needs remember, which says where to save them."],
    [edit, { remember: "session" }, "No rule is offered with this action, so leave out remember."],
    [plan, { remember: "session" }, "No rule is offered with this action, so leave out remember."],
    [review, { remember: "session", keep: true }, "remember goes with allow: nothing is saved with a denial."],
    [permission, { mode: "acceptEdits" }, "No mode is offered with this action."],
    [edit, { mode: "bypassPermissions" }, "mode is acceptEdits, or left out."],
    [edit, { mode: "acceptEdits" }, undefined],
    [edit, { keep: true }, "Nothing was created that could be kept."],
    [review, { keep: true }, undefined],
  ]
  for (const [question, said, problem] of wishes)
    expect(decisionProblem(decided(question, "open"), said["keep"] !== true, said)).toBe(problem)
})
