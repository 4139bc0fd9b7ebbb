/** "Decline to answer" on the page was refused for questions of the model: only answers by choosing were taken, though the session understands a no. */

import { expect, test } from "bun:test"
import { questionOf } from "#agent/words/question.ts"
import { decisionProblem } from "#fleet/answering.ts"
import { approvalOf } from "#session/port/approval.ts"

const asked = approvalOf(
  questionOf("q1", {
    kind: "choice",
    callId: "c1",
    questions: [{ question: "Which color?", header: "Color", options: [], multiSelect: false }],
  }),
)

test("a question can be declined, and is still not answered by half", () => {
  expect(decisionProblem(asked, false, { decision: "deny" })).toBeUndefined()
  expect(decisionProblem(asked, true, { answers: {} })).toBe("There is no answer to: Which color?")
})
