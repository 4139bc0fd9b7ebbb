/** Carries out a decision on a plan: records it, and tells the model. */

import { type PermissionMode, permissionModes } from "#agent/words/permission.ts"
import type { Answer } from "#agent/words/question.ts"
import { answered, type Outcome, refused } from "#agent/words/tool.ts"
import { ok } from "#lib/result.ts"
import {
  approvedWords,
  declinedWords,
  freshWords,
  subApprovedWords,
  tooLongWords,
  unwrittenWords,
} from "./exit-words.ts"
import { digestOf, keepExtract } from "./file.ts"
import type { NamedPlan } from "./phase.ts"
import type { PlanPorts } from "./ports.ts"
import { grantedOf, rulesOf, type Wish } from "./wishes.ts"

export const longestPlan = 100_000

export type ExitPorts = Omit<PlanPorts, "agent"> & {
  readonly agent: "main" | "sub"
  /** The plan of this agent, already named. */
  readonly plan: () => NamedPlan
  readonly modeBefore: () => PermissionMode
  readonly approved: () => string | undefined
}

export interface ShownPlan extends NamedPlan {
  readonly text: string
  readonly wishes: readonly Wish[]
}

export function approved(
  ports: ExitPorts,
  shown: ShownPlan,
  answer: Answer & { kind: "approve" },
  callId: string,
): Outcome {
  const { agent, files, record } = ports
  const plan: NamedPlan = { slug: shown.slug, path: shown.path }
  const text = answer.plan ?? shown.text
  if (text.length > longestPlan) return refused(tooLongWords(plan.path, text.length, longestPlan))
  // The user may have edited the plan, or someone else the file: what is there now is what was approved.
  const now = files.read(plan.path)
  const written = now.ok && now.value === text ? ok(undefined) : files.write(plan.path, text)
  if (!written.ok) return refused(unwrittenWords(written.failure))
  extractKept(ports, plan, text)
  const digest = digestOf(text)
  // A plan gate opens with the approval, and what is chosen here applies all the same.
  const isPlanning = ports.mode() === "plan"
  // The call may be restarted after a crash: what was recorded then is not recorded twice.
  if (ports.approved() !== digest) record({ kind: "plan", change: "approved", ...plan, digest })
  const data = { plan: text, filePath: plan.path, isAgent: agent === "sub" }
  // A subagent works in its session's mode, which only the session's own plan changes.
  if (agent === "sub") {
    ports.addWords?.(callId, answer.words)
    return answered(subApprovedWords, { data })
  }
  // The mode comes last. If plan mode is already off, nothing is left to do.
  if (isPlanning) {
    for (const rule of rulesOf(shown.wishes, answer.wishes)) record({ kind: "grant", rule, destination: "session" })
    record({ kind: "mode", mode: modeFor(answer.mode, ports) })
  }
  const fresh = answer.fresh === true && ports.startFresh !== undefined
  // What is said now would be cleared with the rest.
  if (fresh) ports.startFresh?.([text, answer.words?.trim() ?? ""].filter(Boolean).join("\n\n"))
  else ports.addWords?.(callId, answer.words)
  const granted = grantedOf(shown.wishes, answer.wishes)
  return answered(fresh ? freshWords : approvedWords({ text, path: plan.path, edited: text !== shown.text, granted }), {
    data,
    display: { kind: "plan", text, path: (ports.shown ?? String)(plan.path) },
  })
}

export function declined(ports: ExitPorts, shown: ShownPlan, answer: Answer & { kind: "deny" }): Outcome {
  const { words, interrupt } = answer
  const { slug, path } = shown
  const text = keptChange(ports, path, answer.plan) ? (answer.plan ?? shown.text) : shown.text
  ports.record({ kind: "plan", change: "rejected", slug, path })
  const said = words?.trim()
  return refused(declinedWords(said, { path, edited: text !== shown.text }), {
    ...((interrupt || !said) && { rejected: true }),
  })
}

/** Like any permission that nobody could give. */
export function unanswered({ record }: ExitPorts, callId: string, message: string): Outcome {
  const reason = { kind: "no_one_to_ask" } as const
  record({ kind: "decision", callId, tool: "ExitPlanMode", behavior: "deny", reason, message })
  return refused(message, { denied: true })
}

/** The mode before planning first, then from the strictest to the most permissive. */
export function modesOffered(ports: ExitPorts): readonly PermissionMode[] {
  const before = ports.modeBefore()
  const available = ports.modes()
  const isOffered = (mode: PermissionMode): boolean =>
    available.includes(mode) || (mode === before && mode !== "bypassPermissions")
  const offered = permissionModes.filter((mode) => mode !== "plan" && isOffered(mode))
  return [...new Set([...offered.filter((mode) => mode === before), ...offered])]
}

/** A mode that was not offered is not set: work continues in the one that asks. */
function modeFor(picked: PermissionMode, ports: ExitPorts): PermissionMode {
  if (modesOffered(ports).includes(picked)) return picked
  ports.record({
    kind: "notice",
    level: "warning",
    text: `The mode ${picked} is not available here, so work continues in the default mode.`,
  })
  return "default"
}

/** Writes the user's edits to the plan file; returns whether there were any. */
function keptChange({ files, record }: ExitPorts, path: string, text: string | undefined): boolean {
  if (text === undefined) return false
  const written = files.write(path, text)
  if (!written.ok)
    record({
      kind: "notice",
      level: "warning",
      text: `What you changed in the plan was not kept: ${written.failure}`,
    })
  return written.ok
}

/** Stores the extract beside the plan. */
export function extractKept({ files, record }: ExitPorts, plan: NamedPlan, text: string): void {
  const kept = keepExtract(files, plan, text)
  if (!kept.ok)
    record({ kind: "notice", level: "warning", text: `The plan's list of files was not kept: ${kept.failure}` })
}
