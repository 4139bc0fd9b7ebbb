/** An approval as clients see it: in answers, events and webhooks. */

import { given } from "#lib/given.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import type { FleetApproval } from "./records.ts"

/** `isEffective`: whether the decision that was just made is the one that counts. */
export function shownApproval(approval: FleetApproval, isEffective: boolean): ShownApproval {
  const { expiresAt, createdAt, decidedAt, answer: _answer, ...shown } = approval
  return {
    ...shown,
    effective: isEffective,
    ...given("expiresAt", optionalTime(expiresAt)),
    createdAt: time(createdAt),
    ...given("decidedAt", optionalTime(decidedAt)),
  }
}

export const time = (ms: number): string => new Date(ms).toISOString()

export const optionalTime = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : time(ms))
