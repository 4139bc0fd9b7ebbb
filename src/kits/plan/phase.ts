/** The planning state of a conversation, folded from its entries: nothing about plan mode is remembered elsewhere. */

import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { PermissionMode } from "#agent/words/permission.ts"

export interface NamedPlan {
  readonly slug: string
  readonly path: string
}

export interface ApprovedPlan extends NamedPlan {
  readonly digest: string
}

export interface Phase {
  /** According to the entries; undefined until one says so. */
  readonly mode: PermissionMode | undefined
  readonly modeBefore: PermissionMode
  /** Plan mode was left, and the model has not been told to look at the old plan since. */
  readonly hasExited: boolean
  /** Plan mode was left, and the model does not know yet. */
  readonly needsExitNote: boolean
  /** Reminders given since plan mode was last left. */
  readonly reminders: number
  readonly answersSince: number
  readonly plan: NamedPlan | undefined
  readonly approved: ApprovedPlan | undefined
}

export const attachmentNames = {
  reminder: "plan_mode",
  reentry: "plan_mode_reentry",
  exit: "plan_mode_exit",
  verify: "plan_verify",
  outside: "plan_outside",
} as const

export const beginning: Phase = {
  mode: undefined,
  modeBefore: "default",
  hasExited: false,
  needsExitNote: false,
  reminders: 0,
  answersSince: Number.POSITIVE_INFINITY,
  plan: undefined,
  approved: undefined,
}

export function foldPhase(phase: Phase, entry: Entry | EntryBody): Phase {
  switch (entry.kind) {
    case "mode":
      return inMode(phase, entry.mode)
    case "plan":
      return withPlan(phase, entry)
    case "reply_end":
      return { ...phase, answersSince: phase.answersSince + 1 }
    case "attachment":
      return foldAttachment(phase, entry.name)
    case "compaction":
      return compacted(phase, entry.standing)
    default:
      return phase
  }
}

/** The mode belongs to the session: a phase folded from another branch takes it from the one that was left. */
export function broughtUpTo(phase: Phase, { mode, modeBefore }: Phase): Phase {
  return { ...(mode === undefined ? phase : inMode(phase, mode)), modeBefore }
}

function inMode(phase: Phase, mode: PermissionMode): Phase {
  const was = phase.mode
  if (mode === was) return phase
  if (mode === "plan")
    return { ...phase, mode, modeBefore: was ?? "default", needsExitNote: false, approved: undefined }
  if (was !== "plan") return { ...phase, mode }
  return {
    ...phase,
    mode,
    hasExited: true,
    needsExitNote: true,
    reminders: 0,
    answersSince: Number.POSITIVE_INFINITY,
  }
}

function withPlan(phase: Phase, entry: EntryBody & { kind: "plan" }): Phase {
  const { change, slug, path, digest } = entry
  const plan: NamedPlan = { slug, path }
  switch (change) {
    case "named":
    case "rejected":
      return { ...phase, plan }
    case "approved":
      return { ...phase, plan, approved: { ...plan, digest: digest ?? "" } }
    case "forgotten":
      return { ...phase, plan: undefined, approved: undefined, hasExited: false, needsExitNote: false }
  }
}

function foldAttachment(phase: Phase, name: string): Phase {
  switch (name) {
    case attachmentNames.reminder:
      return { ...phase, reminders: phase.reminders + 1, answersSince: 0 }
    case attachmentNames.reentry:
      return { ...phase, hasExited: false }
    case attachmentNames.exit:
      return { ...phase, needsExitNote: false }
    default:
      return phase
  }
}

/** Earlier reminders are summarized now, so they start over; the restated facts change nothing. */
function compacted(phase: Phase, standing: readonly EntryBody[]): Phase {
  let next: Phase = { ...phase, reminders: 0, answersSince: Number.POSITIVE_INFINITY }
  for (const body of standing) {
    if (body.kind === "plan") next = withPlan(next, body)
    if (body.kind !== "mode") continue
    // A mode before plan mode is there only to return to.
    next = { ...next, mode: body.mode, ...(body.mode !== "plan" && { modeBefore: body.mode }) }
  }
  return next.mode === "plan" ? { ...next, approved: undefined } : next
}
