/** Ops that a session answers: queued for whoever holds it, and waited for. */

import { digestOf } from "#lib/digest.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { FleetOp } from "#fleet/ops.ts"
import type { OpAnswer, QueuedOp } from "#fleet/records.ts"
import { type Refusal, refusal } from "./refusal.ts"
import type { RouteCall } from "./route.ts"

export async function queueOp(
  { records, who }: RouteCall,
  sessionId: string,
  opId: string,
  op: FleetOp,
): Promise<Result<QueuedOp, Refusal>> {
  const added = await records.ops.add(sessionId, opId, op, who.name)
  if (added.ok) return added
  const isGone = added.failure.kind === "no_such_session"
  return failed(
    isGone
      ? refusal("not_found", "There is no such session.")
      : refusal("conflict", "The session was cancelled. Create a new one."),
  )
}

/**
 * What came of an op that the session answers, so a worker must take it first; `action` is what no worker has done yet. Unless another is given, the op has
 * an id of the key: whoever asks again gets to know how it went.
 */
export async function answeredOp(
  asked: RouteCall,
  sessionId: string,
  op: FleetOp,
  action: string,
  opId: string = asked.key === undefined ? asked.context.newId() : `${asked.who.name}:${asked.key}`,
): Promise<Result<OpAnswer, Refusal>> {
  const added = await queueOp(asked, sessionId, opId, op)
  if (!added.ok) return added
  if (digestOf(added.value.op) !== digestOf(op)) return failed(keyReused)
  const { answer } = await asked.context.answered(added.value)
  if (answer) return ok(answer)
  return failed(
    refusal(
      "unavailable",
      `No worker has ${action} yet. It stays in the queue; ask again with the same Idempotency-Key to learn how it went.`,
    ),
  )
}

export const keyReused: Refusal = refusal("conflict", "This Idempotency-Key was used for another request.")
