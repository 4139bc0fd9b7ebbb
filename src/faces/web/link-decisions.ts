/** Links that decide, from a mail or a chat: whoever has one sees the whole action and may decide it once. Opening one decides nothing. */

import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { offeredTo } from "#fleet/answering.ts"
import { shownApproval } from "#fleet/shown-approval.ts"
import type { DecisionLink, FleetStore, LinkFailure } from "#fleet/store.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import { bodyOf } from "./body.ts"
import { linkBody, linkPaths } from "./link-schemas.ts"
import type { LinkedDecision } from "./page/contract-lists.ts"
import { type Refusal, refusal } from "./refusal.ts"
import { json } from "./responses.ts"
import { done, maySpend, type RouteAnswer, type ServerContext } from "./route.ts"
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

  async function look(link: DecisionLink): Promise<LinkedDecision> {
    const { who, allows, approval } = link
    const found = await decidableBy(store, context, { name: who, sessionId: approval.sessionId })
    const state = found ? stateOf(link) : "forbidden"
    const { state: outcome, decidedBy: by } = approval
    return {
      who,
      decision: allows ? "allow" : "deny",
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

  async function use(secret: string, { who, allows, approval }: DecisionLink): Promise<RouteAnswer> {
    const found = await decidableBy(store, context, { name: who, sessionId: approval.sessionId })
    if (!found) return failed(refusal("forbidden", `${who} can no longer decide in this session.`))
    const paid = allows
      ? await maySpend({ records: store, context }, found.session.createdBy, found.session.opening.workspace)
      : undefined
    if (paid?.ok === false) return paid
    const decided = await store.decisionLinks.use(secret)
    if (!decided.ok) return failed(failureOf(decided.failure))
    return done<ShownApproval>(shownApproval(decided.value.approval, decided.value.isEffective))
  }

  return {
    async answer(request, { pathname }) {
      const isLook = pathname === linkPaths.look
      if (request.method !== "POST" || (!isLook && pathname !== linkPaths.use)) return undefined
      const body = await bodyOf(request, linkBody, parts)
      if (!body.ok) return body
      const { link: secret } = linkBody.parse(body.value)
      const link = await store.decisionLinks.find(secret)
      if (!link) return failed(unknownLink)
      const visitor = await visitors.of(request.headers)
      if (visitor && visitor.name !== link.who)
        return failed(
          refusal(
            "forbidden",
            `This link is for ${link.who}, and you are signed in as ${visitor.name}. Use your inbox.`,
          ),
        )
      const answered = isLook ? done<LinkedDecision>(await look(link)) : await use(secret, link)
      return answered.ok ? ok(json(answered.value.status, answered.value.body ?? {})) : answered
    },
  }
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
