/** Links that decide, from a mail or a chat: whoever has one sees the whole action, plan or question and may decide it once. Opening one decides nothing. */

import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { JsonObject } from "#lib/json.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { decisionProblem, offeredTo, withMode } from "#fleet/answering.ts"
import { shownApproval } from "#fleet/shown-approval.ts"
import type { DecisionLink, LinkFailure } from "#fleet/store/approvals.ts"
import type { FleetStore } from "#fleet/store.ts"
import type { ApprovalKind, ShownApproval } from "#session/port/approval.ts"
import { bodyOf } from "./body.ts"
import { linkPaths } from "./link-schemas.ts"
import type { LinkedDecision } from "./page/contract-lists.ts"
import { type Refusal, refusal } from "./refusal.ts"
import { json } from "./responses.ts"
import { done, maySpend, type RouteAnswer, type ServerContext } from "./route.ts"
import { linkBody, type LinkUse, linkUseBody } from "./request-schemas.ts"
import { mayUse } from "./session-routes.ts"
import { decidableBy } from "./told.ts"
import type { Visitors } from "./visitors.ts"

export interface LinkDecisions {
  /** The answer to a request about a link; undefined for all others. */
  readonly answer: (request: Request, url: URL) => Promise<Result<Response, Refusal> | undefined>
}

export function openLinkDecisions(parts: {
  readonly store: FleetStore
  readonly context: ServerContext
  readonly visitors: Visitors
  readonly clock: Clock
  readonly bodyMs: number
}): LinkDecisions {
  const { store, context, visitors } = parts

  async function describeDecision(link: DecisionLink): Promise<LinkedDecision> {
    const { who, allows, approval } = link
    const found = await decidableBy(store, context, { name: who, sessionId: approval.sessionId })
    const state = found ? stateOf(link) : "forbidden"
    const { state: outcome, decidedBy: by } = approval
    return {
      who,
      decision: allows === undefined ? "answer" : allows ? "allow" : "deny",
      state,
      sessionTitle: found?.session.title ?? "",
      ...((state === "decided" || state === "used") &&
        (outcome === "allowed" || outcome === "denied") &&
        by !== undefined && { decided: { state: outcome, by } }),
      ...optional(
        "approval",
        found && state === "open" ? shownApproval(offeredTo(found.who.role, approval), true) : undefined,
      ),
    }
  }

  async function use(body: LinkUse, link: DecisionLink): Promise<RouteAnswer> {
    const { who, approval } = link
    const found = await decidableBy(store, context, { name: who, sessionId: approval.sessionId })
    if (!found) return failed(refusal("forbidden", `${who} can no longer decide in this session.`))
    const said = saidWith(link, body)
    if (!said.ok) return said
    const { allows } = said.value
    const answer = withMode(found.who.role, approval, allows, said.value.answer)
    const allowed = mayUse(answer["mode"], { who: found.who })
    if (!allowed.ok) return allowed
    const problem = approval.state === "open" ? decisionProblem(approval, allows, answer) : undefined
    if (problem !== undefined) return failed(refusal("invalid", problem))
    const paid = allows
      ? await maySpend({ records: store, context }, found.session.createdBy, found.session.opening.workspace)
      : undefined
    if (paid?.ok === false) return paid
    const decided = await store.decisionLinks.use(body.link, { allows, answer })
    if (!decided.ok) return failed(failureOf(decided.failure))
    return done<ShownApproval>(shownApproval(decided.value.approval, decided.value.isEffective))
  }

  return {
    async answer(request, { pathname }) {
      const isLook = pathname === linkPaths.look
      if (request.method !== "POST" || (!isLook && pathname !== linkPaths.use)) return undefined
      const body = await bodyOf(request, isLook ? linkBody : linkUseBody, parts)
      if (!body.ok) return body
      const sent = isLook ? linkBody.parse(body.value) : linkUseBody.parse(body.value)
      const link = await store.decisionLinks.find(sent.link)
      if (!link) return failed(unknownLink)
      const visitor = await visitors.of(request.headers)
      if (visitor && visitor.name !== link.who)
        return failed(
          refusal(
            "forbidden",
            `This link is for ${link.who}, and you are signed in as ${visitor.name}. Use your inbox.`,
          ),
        )
      const answered = isLook ? done<LinkedDecision>(await describeDecision(link)) : await use(sent, link)
      return answered.ok ? ok(json(answered.value.status, answered.value.body ?? {})) : answered
    },
  }
}

/** What is decided: by the link itself, or by what is sent with it, if that is for what it is about. */
function saidWith(
  { allows, approval }: DecisionLink,
  { link: _link, to = "decide", ...answer }: LinkUse,
): Result<{ readonly allows: boolean; readonly answer: JsonObject }, Refusal> {
  if (allows !== undefined)
    return to === "decide"
      ? ok({ allows, answer: {} })
      : failed(
          refusal("invalid", `This link only ${allows ? "allows" : "denies"} an action. Send it without an answer.`),
        )
  if (!(takenBy[approval.kind] ?? []).includes(to))
    return failed(refusal("invalid", `to is one of ${(takenBy[approval.kind] ?? []).join(", ")}.`))
  return ok({ allows: to === "plan/approve" || to === "answer", answer: answer as JsonObject })
}

const takenBy: { readonly [kind in ApprovalKind]?: readonly string[] } = {
  plan: ["plan/approve", "plan/reject"],
  question: ["answer", "approval"],
}

function stateOf({ isUsed, isExpired, isChanged, approval }: DecisionLink): LinkedDecision["state"] {
  if (isUsed) return "used"
  if (isChanged) return "changed"
  if (approval.state === "allowed" || approval.state === "denied") return "decided"
  return isExpired || approval.state === "expired" ? "expired" : "open"
}

const unknownLink = refusal("not_found", "This link is not valid. What is still open is in your inbox.")

function failureOf({ kind }: LinkFailure): Refusal {
  switch (kind) {
    case "used":
      return refusal("conflict", "This link was used before. Each link works once.")
    case "late":
    case "expired":
      return refusal("expired", "This link has expired. What is still open is in your inbox.")
    case "void":
      return refusal("void", "The action has changed since this link was sent. Review it in your inbox.")
    case "no_such_link":
    case "no_such_approval":
      return unknownLink
  }
}
