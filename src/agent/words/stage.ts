/** How far a session is, and what it waits for. */

export const stages = [
  "awaiting_clarification",
  "planning",
  "awaiting_plan_approval",
  "executing",
  "awaiting_tool_approval",
  "awaiting_answer",
  "completed",
  "failed",
  "cancelled",
] as const
export type SessionStage = (typeof stages)[number]

/** In these nothing follows. */
export const isOver = (stage: SessionStage): boolean =>
  stage === "completed" || stage === "failed" || stage === "cancelled"
