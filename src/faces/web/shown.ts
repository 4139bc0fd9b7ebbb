/** Sessions as clients see them. */

import { optional } from "#lib/optional.ts"
import type { FleetApproval, FleetSession, WorkspaceSource } from "#fleet/records.ts"
import { shownApproval, time } from "#fleet/shown-approval.ts"
import type { ShownSession } from "./page/contract.ts"

/** What is known about it besides its record. */
export interface SessionContext {
  readonly approvals: readonly FleetApproval[]
  readonly mayChange: boolean
  /** Others that work in the same folder, and may be seen. */
  readonly sharedWith?: { readonly count: number; readonly sessions: readonly FleetSession[] } | undefined
}

export function shownSession(
  session: FleetSession,
  { approvals, mayChange, sharedWith }: SessionContext,
): ShownSession {
  const { id, title, stage, mode, model, query, clarifiedQuery, plan, gates, costUsd, worker, result } = session
  return {
    id,
    title,
    stage,
    mode,
    model,
    query,
    ...optional("clarifiedQuery", clarifiedQuery),
    ...optional("plan", plan),
    ...optional("gates", gates),
    pending: approvals.filter(({ state }) => state === "open").map((each) => shownApproval(each, true)),
    completed: approvals
      .filter(({ state }) => state !== "open")
      .map(({ id: approvalId, title: about, state, decidedBy, decidedAt, createdAt }) => ({
        approvalId,
        title: about,
        state,
        by: decidedBy ?? "",
        at: time(decidedAt ?? createdAt),
      })),
    costUsd,
    worker: worker ?? null,
    ...optional("needs", session.needs),
    ...optional("stuck", session.stuck),
    ...optional("queued", session.queued),
    workspace: shownWorkspace(session.opening.workspace),
    createdBy: session.createdBy,
    mayChange,
    ...optional(
      "sharedWith",
      sharedWith && {
        count: sharedWith.count,
        sessions: sharedWith.sessions.map((other) => ({ id: other.id, title: other.title })),
      },
    ),
    ...optional("lead", session.lead),
    createdAt: time(session.createdAt),
    updatedAt: time(session.updatedAt),
    ...optional("result", result),
  }
}

/** What stands before the host of a URL may be a password. */
export const withoutPassword = (url: string): string => url.replace(/^([a-z]+:\/\/)[^/]*@/i, "$1")

function shownWorkspace(workspace: WorkspaceSource): WorkspaceSource {
  if ("path" in workspace) return { path: workspace.path }
  const { url, ref } = workspace.git
  return { git: { url: withoutPassword(url), ...optional("ref", ref) } }
}
