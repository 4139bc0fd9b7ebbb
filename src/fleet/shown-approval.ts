/** An approval as clients see it: in answers, events and webhooks. */

import { given } from "#lib/given.ts"
import type { JsonObject } from "#lib/json.ts"
import type { FleetApproval } from "./records.ts"

/** `isEffective`: whether the decision that was just made is the one that counts. */
export function shownApproval(approval: FleetApproval, isEffective: boolean): JsonObject {
  const { id, sessionId, kind, title, action, explanation, risks, details, digest, state } = approval
  return {
    id,
    sessionId,
    ...given("sessionTitle", approval.sessionTitle),
    kind,
    title,
    action: { ...action },
    explanation,
    risks: [...risks],
    // It comes from the database, as JSON.
    ...given("details", details as JsonObject | undefined),
    digest,
    state,
    effective: isEffective,
    ...given("expiresAt", optionalTime(approval.expiresAt)),
    createdAt: time(approval.createdAt),
    ...given("decidedAt", optionalTime(approval.decidedAt)),
    ...given("decidedBy", approval.decidedBy),
  }
}

export const time = (ms: number): string => new Date(ms).toISOString()

export const optionalTime = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : time(ms))
