/** The words of the page for stages, modes and times. */

import type { PermissionMode } from "#agent/words/permission.ts"
import { modeMeanings, modeNames } from "#agent/words/mode-names.ts"
import type { SessionStage } from "#agent/words/stage.ts"
import type { WorkspaceSource } from "#fleet/records.ts"
import type { ApprovalKind, ApprovalState, ShownApproval } from "#session/port/approval.ts"
import { ageText } from "#lib/age.ts"
import { forConsent } from "#lib/printable.ts"
import type { ShownSession, SignedIn } from "./contract.ts"

/** What a stage means for whoever looks: it needs you, it works, or how it ended. */
export type StageTone = "waits" | "works" | "done" | "failed" | "quiet"

export const stageWords: { readonly [stage in SessionStage]: { readonly name: string; readonly tone: StageTone } } = {
  awaiting_clarification: { name: "Needs clarification", tone: "waits" },
  planning: { name: "Planning", tone: "works" },
  awaiting_plan_approval: { name: "Plan to approve", tone: "waits" },
  executing: { name: "Working", tone: "works" },
  awaiting_tool_approval: { name: "Needs approval", tone: "waits" },
  awaiting_answer: { name: "Has a question", tone: "waits" },
  completed: { name: "Completed", tone: "done" },
  failed: { name: "Failed", tone: "failed" },
  cancelled: { name: "Cancelled", tone: "quiet" },
}

/** In the order in which people look for them. */
export const stageGroups: readonly [StageGroup, StageGroup, StageGroup] = [
  { name: "Waiting for a decision", tones: ["waits"] },
  { name: "In progress", tones: ["works"] },
  { name: "Finished", tones: ["done", "failed", "quiet"] },
]

interface StageGroup {
  readonly name: string
  readonly tones: readonly StageTone[]
}

/** Whose session asks, where it is somebody else's. */
export const sessionByOther = ({ sessionBy }: ShownApproval, me: SignedIn | undefined): string | undefined =>
  sessionBy === me?.name ? undefined : sessionBy

/** Why this user can only look; undefined if they can act. */
export function readOnlyReason({ mayChange, createdBy }: ShownSession, me: SignedIn | undefined): string | undefined {
  if (mayChange) return undefined
  if (me?.role === "viewer") return "Your role is viewer: an operator decides."
  return me?.name === createdBy
    ? "This session is not confined to the sandbox: an admin decides."
    : `This session belongs to ${forConsent(createdBy)}: they or an admin decide.`
}

/** The last part of a folder or URL, which is what people call it. */
export function placeName(workspace: WorkspaceSource): string {
  const [whole, ref] = "path" in workspace ? [workspace.path] : [workspace.git.url, workspace.git.ref]
  const name =
    whole
      .replace(/\/+$/, "")
      .split(/[/:]/)
      .at(-1)
      ?.replace(/\.git$/, "") ?? ""
  return ref === undefined ? name || whole : `${name} at ${ref}`
}

/** The whole of it. */
export const placeText = (workspace: WorkspaceSource): string =>
  "path" in workspace
    ? workspace.path
    : [workspace.git.url, ...(workspace.git.ref === undefined ? [] : [`at ${workspace.git.ref}`])].join(" ")

export const kindWords: { readonly [kind in ApprovalKind]: string } = {
  tool: "Approval",
  plan: "Plan",
  question: "Question",
  elicitation: "Form",
}

/** A plan by its first line, questions by what they ask: their titles say little. */
export function waitingText({ kind, title, explanation, action }: ShownApproval): string {
  if (kind === "question") return explanation || title
  const { plan } = action.input
  return kind === "plan" && typeof plan === "string" ? plan.trim().replace(/^#+\s*/, "") || title : title
}

export const stateWords: { readonly [state in ApprovalState]: string } = {
  open: "Open",
  allowed: "Allowed",
  denied: "Denied",
  void: "Changed before it was decided",
  expired: "Expired",
}

/** The modes that make sense for a session nobody sits in front of. */
export const offeredModes: readonly PermissionMode[] = ["plan", "default", "acceptEdits", "auto", "dontAsk"]

export const modeLabel = (mode: PermissionMode): string => `${modeNames[mode]}: ${modeMeanings[mode]}`

export const ago = (time: string, now: number): string => ageText(now - Date.parse(time))

/** How long is left, for what expires. */
export function leftText(time: string, now: number): string {
  const minutes = Math.ceil((Date.parse(time) - now) / 60_000)
  if (minutes <= 0) return "expired"
  if (minutes < 60) return `expires in ${minutes} min`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `expires in ${hours} h` : `expires in ${Math.floor(hours / 24)} days`
}

export const sentence = (phrases: readonly string[]): string => {
  const text = phrases.join(", ")
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
