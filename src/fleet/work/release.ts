/** How a worker lets go of a session: handed over in the middle of its work, set aside while it waits, or finished. */

import type { Question } from "#agent/words/question.ts"
import type { SessionStage } from "#agent/words/stage.ts"
import { optional } from "#lib/optional.ts"
import { ok } from "#lib/result.ts"
import { approvalOf } from "#session/port/approval.ts"
import { newsOf } from "./attending.ts"
import { type HeldSession, isUnsaved, lastEnd } from "./held-session.ts"
import type { NewApproval, SessionNews } from "#fleet/records.ts"

/** Everything of it is in the database before anybody else may take it. */
async function leave({ opened, shipper, workplace, persist }: HeldSession, how?: "handing over"): Promise<boolean> {
  await opened.close(how)
  await persist(workplace.keep)
  return (await shipper.arrived()).ok
}

export async function handOver(heldSession: HeldSession): Promise<void> {
  const { store, lease, persist } = heldSession
  if (await leave(heldSession, "handing over")) await persist(() => store.leases.handOver(lease))
}

export async function setAside(heldSession: HeldSession, questions: readonly Question[]): Promise<void> {
  const { store, lease, session, followed, persist } = heldSession
  const { result: _result, ...news } = await newsOf(session, followed)
  const approvals = questions.map((question) => asNewApproval(question, heldSession))
  if (await leave(heldSession, "handing over")) await persist(() => store.leases.park(lease, news, approvals))
}

function asNewApproval(
  question: Question,
  { record, patience }: Pick<HeldSession, "record" | "patience">,
): NewApproval {
  const { details, ...approval } = approvalOf(question)
  const folder = "git" in record.opening.workspace ? "own" : "shared"
  return {
    ...approval,
    ...optional("details", details && { ...details, folder }),
    ...optional("expiresInMs", patience.approvalMs),
  }
}

export async function finish(heldSession: HeldSession): Promise<void> {
  const { store, lease, session, followed, persist } = heldSession
  // It has not ended: its log could not be written here, and whoever misses its worker continues with it.
  if (isUnsaved(await lastEnd(session))) return
  const { stage = "completed", result, ...news } = await newsOf(session, followed)
  const outcome = outcomeOf(stage, result)
  if (!(await leave(heldSession))) return
  const published = outcome.stage === "completed" ? await heldSession.workplace.publish() : ok(undefined)
  const finalOutcome = published.ok ? outcome : { ...outcome, result: { ok: false, text: published.failure } }
  await persist(() => store.leases.park(lease, { ...news, ...finalOutcome }))
}

/** Only whoever cancels a session ends it for good: an interrupted one continues with the next message. */
function outcomeOf(stage: SessionStage, result: SessionNews["result"]): SessionNews {
  if (stage === "cancelled") return { stage: "completed", result: { ok: false, text: interruptedWords } }
  const isWorking = stage === "planning" || stage === "executing"
  return { stage: isWorking ? "completed" : stage, ...optional("result", result) }
}

const interruptedWords = "Interrupted. Send a message to continue."
