/** An approval as clients see it: in answers, events and webhooks. */

import { optional } from "#lib/optional.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import type { FleetApproval } from "./records.ts"

/** `isEffective`: whether the decision that was just made is the one that counts. */
export function shownApproval(approval: FleetApproval, isEffective: boolean): ShownApproval {
  const { expiresAt, createdAt, decidedAt, answer: _answer, ...shown } = approval
  return {
    ...shown,
    effective: isEffective,
    ...optional("expiresAt", optionalTime(expiresAt)),
    createdAt: time(createdAt),
    ...optional("decidedAt", optionalTime(decidedAt)),
  }
}

export const time = (ms: number): string => new Date(ms).toISOString()

export const optionalTime = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : time(ms))
