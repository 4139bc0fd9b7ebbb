/** Sends a decision, and says what stands afterwards. */

import type { JsonObject } from "#lib/json.ts"
import { type ApiFailure, type ApiResult, at, failureText, post } from "./api.ts"
import type { ShownApproval } from "#session/port/approval.ts"
import type { Settlement } from "./settled.ts"

export type DecisionBody =
  | { readonly to: "approval"; readonly body: JsonObject }
  | { readonly to: "answer"; readonly body: JsonObject }
  | { readonly to: "plan/approve" | "plan/reject"; readonly body: JsonObject }

export type SentDecision = { readonly settlement: Settlement } | { readonly problem: string }

export async function send(approval: ShownApproval, { to, body }: DecisionBody): Promise<SentDecision> {
  const session = `/api/sessions/${at(approval.sessionId)}`
  const path =
    to === "approval"
      ? `${session}/approvals/${at(approval.id)}`
      : to === "answer"
        ? `${session}/answers/${at(approval.id)}`
        : `${session}/${to}`
  const sent: ApiResult<ShownApproval> = await post(path, { ...body, digest: approval.digest })
  if (!sent.ok) return { problem: problemText(sent.failure) }
  const { state, decidedBy, decidedAt, effective } = sent.value
  return {
    settlement: {
      approval,
      state,
      ...(decidedBy !== undefined && { by: decidedBy }),
      ...(decidedAt !== undefined && { at: decidedAt }),
      wasLate: !effective,
    },
  }
}

export function problemText(failure: ApiFailure): string {
  if (failure.kind === "offline") return "Not sent: the server cannot be reached. Try again when it is back."
  return failureText(failure)
}
