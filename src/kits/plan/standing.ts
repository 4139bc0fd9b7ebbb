/** The plan state of a conversation, folded from its entries: the plan's name, its scope and its result. */

import type { ConversationFollower } from "#agent/words/follower.ts"
import type { PlanExtract } from "#agent/words/plan-extract.ts"
import { agentPlan, extractOf, isPlanOf, namePlan } from "./file.ts"
import { attachmentNames, beginning, broughtUpTo, foldPhase, type NamedPlan, type Phase } from "./phase.ts"
import type { PlanPorts } from "./ports.ts"
import { foldProgress, noProgress, type PlanSummary, type Progress, summarize } from "./progress.ts"

export interface PlanStanding {
  readonly phase: () => Phase
  readonly progress: () => Progress
  /** Items outside the approved plan that the model has not been told about. */
  readonly unsaid: () => readonly string[]
  readonly announce: (items: readonly string[]) => void
  readonly own: () => NamedPlan | undefined
  readonly named: () => NamedPlan
  readonly scope: () => PlanExtract | undefined
  readonly changedFiles: () => readonly string[]
  readonly summary: () => PlanSummary | undefined
  readonly conversation: ConversationFollower
  /** For an unsaved session, which has no entry with its initial mode. */
  readonly settle: () => void
}

export function openStanding(ports: PlanPorts): PlanStanding {
  const { agent, files, record, mode } = ports
  let phase: Phase = beginning
  let before: Phase = beginning
  let progress: Progress = noProgress
  let unsaid: readonly string[] = []
  let scopeOf: { readonly digest: string; readonly extract: PlanExtract | undefined } | undefined

  /** The plan file may be written without asking, so the log cannot choose it freely: it must be one of ours. */
  const own = (): NamedPlan | undefined => (phase.plan && isPlanOf(ports.folder, phase.plan) ? phase.plan : undefined)

  function named(): NamedPlan {
    if (agent.kind === "sub") return agentPlan(ports.folder, agent.slug(), agent.id)
    const existingPlan = own()
    if (existingPlan) return existingPlan
    const plan = namePlan(ports)
    record({ kind: "plan", change: "named", ...plan })
    return plan
  }

  function scope(): PlanExtract | undefined {
    const { approved } = phase
    if (!approved) return undefined
    if (scopeOf?.digest !== approved.digest) {
      const extract = extractOf(files, approved.path, approved.digest)
      if (!extract.ok && ports.enforce !== "off")
        record({ kind: "notice", level: "warning", text: `The plan is not watched over: ${extract.failure}.` })
      scopeOf = { digest: approved.digest, extract: extract.ok ? extract.value : undefined }
    }
    return scopeOf.extract
  }

  const changedFiles = (): readonly string[] => progress.writes.filter((path) => path !== own()?.path)

  function summary(): PlanSummary | undefined {
    const extract = scope()
    return extract && summarize(extract, { ...progress, writes: changedFiles() }, ports.root)
  }

  return {
    phase: () => phase,
    progress: () => progress,
    unsaid: () => unsaid,
    announce: (items) => void (unsaid = [...unsaid, ...items]),
    own,
    named,
    scope,
    changedFiles,
    summary,
    conversation: {
      reset() {
        before = phase
        phase = beginning
        progress = noProgress
        unsaid = []
      },
      onEntry(entry) {
        phase = foldPhase(phase, entry)
        progress = phase.approved ? foldProgress(progress, entry) : noProgress
        if (entry.kind === "attachment" && entry.name === attachmentNames.outside) unsaid = []
      },
      resume: () => void (phase = broughtUpTo(phase, before)),
    },
    settle() {
      if (phase.mode === undefined) phase = foldPhase(phase, { kind: "mode", mode: mode() })
    },
  }
}
