/** What a session waits for, as the fleet keeps it: approvals, the stage, and the plan. */

import type { PermissionMode } from "#agent/words/permission.ts"
import type { Question } from "#agent/words/question.ts"
import { extractPlan } from "#kits/plan/extract.ts"
import { approvalOf } from "#session/port/approval.ts"
import type { FleetPlan, NewApproval, SessionStage } from "./records.ts"

export function approvalFor(question: Question, sessionId: string): NewApproval {
  const { id, kind, title, action, explanation, risks, digest } = approvalOf({ question, at: 0 }, sessionId)
  return { id, kind, title, action, explanation, risks, digest }
}

export const workingStage = (mode: PermissionMode): SessionStage => (mode === "plan" ? "planning" : "executing")

/** A plan before all else, then an action, then a question. */
export function waitingStage(questions: readonly Question[]): SessionStage {
  const has = (kind: Question["ask"]["kind"]): boolean => questions.some(({ ask }) => ask.kind === kind)
  if (has("plan")) return "awaiting_plan_approval"
  return has("permission") ? "awaiting_tool_approval" : "awaiting_answer"
}

/** With the digest of the question, which whoever approves it sends along. */
export function planIn(questions: readonly Question[]): FleetPlan | undefined {
  for (const { ask, digest } of questions) {
    if (ask.kind !== "plan") continue
    const { create = [], modify = [], commands = [], tests = [] } = extractPlan(ask.plan) ?? {}
    return { markdown: ask.plan, digest, filesToCreate: create, filesToModify: modify, commands, tests }
  }
  return undefined
}
