/** What a rule would have answered: asked before somebody allows an action from now on. */

import { z, type ZodType } from "zod"
import { decisionProblem, placeProblem } from "#fleet/answering.ts"
import type { FleetApproval, FleetSession, WorkspaceSource } from "#fleet/records.ts"
import { coverageOf } from "#fleet/rule-coverage.ts"
import { besideProblem } from "#fleet/written-rules.ts"
import { time } from "#fleet/shown-approval.ts"
import { failed } from "#lib/result.ts"
import type { Coverage, CoveredDecision, Remember } from "./page/contract.ts"
import { refusal } from "./refusal.ts"
import { done, onSteered, type Route, type RouteAnswer, type RouteCall, whoseSessions } from "./route.ts"
import { withoutPassword } from "./shown.ts"

interface CoverageQuery {
  readonly remember: Remember
  readonly rules?: string | undefined
  readonly written?: string | undefined
}

const coverageQuery: ZodType<CoverageQuery> = z.strictObject({
  remember: z.enum(["session", "project", "user"]).describe("Where the rule would be saved"),
  rules: z
    .string()
    .max(200)
    .regex(/^\d{1,3}(?:,\d{1,3})*$/, { error: "has the places of offered rules, such as 0,2" })
    .optional()
    .describe("Which of the offered rules, by their places from 0; all if this and written are left out"),
  written: z.string().max(4_000).optional().describe("Rules of your own, one on each line, as they would be saved"),
})

const coverageAnswer: ZodType<Coverage> = z.object({
  compared: z.number(),
  allowed: z.number(),
  denied: z.number(),
  examples: z.array(
    z.object({
      sessionId: z.string(),
      sessionTitle: z.string(),
      approvalId: z.string(),
      what: z.string(),
      state: z.enum(["allowed", "denied"]),
      by: z.string(),
      at: z.iso.datetime(),
    }),
  ),
})

/** Nobody reads more of them. */
const mostExamples = 20
const mostCharacters = 300

export const coverageRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/api/sessions/:id/approvals/:approval/coverage",
    about:
      "Which decisions the rules offered with an action, or rules of your own, would have answered, of the newest that this token's user sees: in this session, in this folder or repository, or in all.",
    needs: "operator",
    query: coverageQuery,
    answers: { status: 200, body: coverageAnswer },
    run: onSteered(coverage),
  },
]

async function coverage(asked: RouteCall, session: FleetSession): Promise<RouteAnswer> {
  const { records, who } = asked
  const { remember, rules, written: lines } = coverageQuery.parse(asked.query)
  const written = lines?.split("\n")
  const all = await records.approvals.of(session.id)
  const approval = all.findLast((each) => each.id === asked.at["approval"] && each.state === "open")
  if (!approval) return failed(refusal("not_found", "Nothing with this id waits for a decision."))
  const unsaved = decisionProblem(approval, true, { remember, ...(written && { written }) })
  if (unsaved !== undefined) return failed(refusal("invalid", unsaved))
  const forbidden = placeProblem(who.role, approval, { remember })
  if (forbidden !== undefined) return failed(refusal("forbidden", forbidden))
  const beside = written && (await besideProblem({ written }, approval, session.opening.workspace))
  if (beside !== undefined) return failed(refusal("invalid", beside))
  const offered = approval.details?.rules ?? []
  const chosen = rules?.split(",").map((nth) => offered[Number(nth)]) ?? (written ? [] : offered)
  const known = chosen.filter((rule) => rule !== undefined)
  if (known.length < chosen.length)
    return failed(refusal("invalid", `rules: ${offered.length} of them are offered with this action.`))
  const past = await records.approvals.decided(
    remember === "session" ? { sessionId: session.id } : { createdBy: whoseSessions(asked) },
  )
  const place = placeKey(session.opening.workspace)
  const here = remember === "project" ? past.filter(({ workspace }) => placeKey(workspace) === place) : past
  const { compared, covered } = await coverageOf([...known, ...(written ?? [])], here)
  const denied = covered.filter(({ state }) => state === "denied")
  const allowed = covered.filter(({ state }) => state === "allowed")
  return done<Coverage>({
    compared,
    allowed: allowed.length,
    denied: denied.length,
    examples: [...denied, ...allowed].slice(0, mostExamples).map(shownDecision),
  })
}

/** Branches of one repository are one project. */
const placeKey = (workspace: WorkspaceSource): string =>
  "path" in workspace ? `path ${workspace.path}` : `git ${withoutPassword(workspace.git.url)}`

function shownDecision(decided: FleetApproval): CoveredDecision {
  const { id, sessionId, sessionTitle = "", title, action, state, decidedBy = "", decidedAt, createdAt } = decided
  const { command } = action.input
  return {
    sessionId,
    sessionTitle,
    approvalId: id,
    what: (typeof command === "string" ? command : title).slice(0, mostCharacters),
    state: state === "denied" ? "denied" : "allowed",
    by: decidedBy,
    at: time(decidedAt ?? createdAt),
  }
}
