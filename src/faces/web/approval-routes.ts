/** Approvals: what waits for somebody, and decisions about it. */

import { failed } from "#lib/result.ts"
import type { JsonObject } from "#lib/json.ts"
import { decisionProblem, offeredTo, placeProblem, withMode } from "#fleet/answering.ts"
import { besideProblem } from "#fleet/written-rules.ts"
import { shownApproval } from "#fleet/shown-approval.ts"
import type { ApprovalPage } from "#fleet/store/approvals.ts"
import type { FleetSession } from "#fleet/records.ts"
import type { ApprovalKind, ShownApproval } from "#session/port/approval.ts"
import type { Inbox } from "./page/contract.ts"
import { refusal } from "./refusal.ts"
import {
  done,
  maySpend,
  onSteered,
  type Route,
  type RouteAnswer,
  type RouteCall,
  whoseInbox,
  whoseSessions,
} from "./route.ts"
import {
  answersBody,
  approvalsQuery,
  decisionBody,
  planApproveBody,
  type PlanApproveBody,
  planRejectBody,
} from "./request-schemas.ts"
import { approvalAnswer, approvalsAnswer } from "./answer-schemas.ts"
import { mayUse, usualPage } from "./session-routes.ts"

const answers: Route["answers"] = { status: 200, body: approvalAnswer }

export const approvalRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/api/approvals",
    about:
      "Lists what waits for this token's user, oldest first: all of it, or a page of limit. next is the after of the next page. With all=true, also what only others may decide, as far as this token sees it.",
    needs: "viewer",
    query: approvalsQuery,
    answers: { status: 200, body: approvalsAnswer },
    run: async (asked) => {
      const { approvals, ...rest } = await inboxOf(asked)
      return done<Inbox>({
        approvals: approvals.map((each) => shownApproval(offeredTo(asked.who.role, each), true)),
        ...rest,
      })
    },
  },
  {
    method: "POST",
    path: "/api/sessions/:id/approvals/:approval",
    about: "Allows or denies an action. The first valid decision counts; effective says whether this is the one.",
    needs: "operator",
    body: decisionBody,
    answers,
    run: onSteered(async (asked, session) => {
      const allowed = mayUse(asked.body["mode"], asked)
      return allowed.ok
        ? decide(asked, session, asked.at["approval"] ?? "", asked.body["decision"] === "allow")
        : allowed
    }),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/answers/:approval",
    about: "Answers a question or fills in a form.",
    needs: "operator",
    body: answersBody,
    answers,
    run: onSteered(async (asked, session) => {
      const id = asked.at["approval"] ?? ""
      const all = await asked.records.approvals.of(session.id)
      return all.some((each) => each.id === id && !answered.includes(each.kind))
        ? takesNoAnswers
        : decide(asked, session, id, true)
    }),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/plan/approve",
    about: "Approves the plan, as it is or as edited here, and continues in the given mode.",
    needs: "operator",
    body: planApproveBody,
    answers,
    run: onSteered((asked, session) => decidePlan(asked, session, true)),
  },
  {
    method: "POST",
    path: "/api/sessions/:id/plan/reject",
    about: "Rejects the plan; the session plans again with the feedback.",
    needs: "operator",
    body: planRejectBody,
    answers,
    run: onSteered((asked, session) => decidePlan(asked, session, false)),
  },
]

const answered: readonly ApprovalKind[] = ["question", "elicitation"]

/** An answer counts as a yes, which nobody said who only filled in a form. */
const takesNoAnswers: RouteAnswer = failed(
  refusal("invalid", "This takes a decision, not answers. Allow or deny it with /approvals, or /plan for a plan."),
)

async function inboxOf(asked: RouteCall): Promise<Partial<ApprovalPage> & Pick<ApprovalPage, "approvals">> {
  const { approvals } = asked.records
  const { limit, after } = asked.query as { limit?: number; after?: string }
  const createdBy = asked.query["all"] === "true" ? whoseSessions(asked) : whoseInbox(asked)
  if (limit === undefined && after === undefined) return { approvals: await approvals.open(createdBy) }
  return approvals.openPage({ createdBy, limit: limit ?? usualPage, after })
}

/** Plans of members may wait beside that of their lead, and one that was approved stays: the digest says which is meant. */
async function decidePlan(asked: RouteCall, session: FleetSession, allows: boolean): Promise<RouteAnswer> {
  const { mode, digest } = asked.body as Partial<PlanApproveBody>
  const allowed = mayUse(mode, asked)
  if (!allowed.ok) return allowed
  const plans = (await asked.records.approvals.of(session.id)).filter(({ kind }) => kind === "plan")
  const meant = plans.findLast((each) => each.digest === digest) ?? plans.at(-1)
  if (!meant) return failed(refusal("conflict", "The session has no plan that waits for a decision."))
  return decide(asked, session, meant.id, allows)
}

/** It is kept as it was sent, for the worker that opens the session. */
async function decide(
  asked: RouteCall,
  { id: sessionId, createdBy, opening }: FleetSession,
  approvalId: string,
  allows: boolean,
): Promise<RouteAnswer> {
  const { records, who, body } = asked
  const paid = allows ? await maySpend(asked, createdBy, opening.workspace) : undefined
  if (paid?.ok === false) return paid
  const { digest, ...said }: JsonObject = body
  const shown = (await records.approvals.of(sessionId)).find((each) => each.id === approvalId && each.digest === digest)
  const answer = shown ? withMode(who.role, shown, allows, said) : said
  if (shown?.state === "open") {
    const problem = decisionProblem(shown, allows, answer)
    if (problem !== undefined) return failed(refusal("invalid", problem))
    const forbidden = placeProblem(who.role, shown, answer)
    if (forbidden !== undefined) return failed(refusal("forbidden", forbidden))
    const beside = await besideProblem(answer, shown, opening.workspace)
    if (beside !== undefined) return failed(refusal("invalid", beside))
  }
  const decided = await records.approvals.decide({
    sessionId,
    approvalId,
    digest: String(digest),
    allows,
    answer,
    by: who.name,
  })
  if (decided.ok) return done<ShownApproval>(shownApproval(decided.value.approval, decided.value.isEffective))
  switch (decided.failure.kind) {
    case "no_such_approval":
      return failed(refusal("not_found", "There is no such approval."))
    case "void":
      return failed(refusal("void", "What was shown is not what would be done now. Look again, and decide about that."))
    case "expired":
      return failed(refusal("expired", "The time for this decision is over."))
  }
}
