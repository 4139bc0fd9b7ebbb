/** Plan mode, whole: its tools, its file, what the model is told about it, and the watch over what was approved. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Middleware } from "#agent/words/middleware.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { enterPlanTool } from "./enter-plan.ts"
import { exitPlanTool } from "./exit-plan.ts"
import type { PlanExtract } from "./extract.ts"
import { agentPlan, extractOf, forkPlan, isPlanOf, namePlan } from "./file.ts"
import {
  type ApprovedPlan,
  attachmentNames,
  beginning,
  foldPhase,
  type NamedPlan,
  type Phase,
  broughtUpTo,
} from "./phase.ts"
import type { PlanPorts } from "./ports.ts"
import { foldProgress, noProgress, type PlanSummary, type Progress, summarize } from "./progress.ts"
import { dueReminders } from "./reminder.ts"
import { outsideWords, verifyWords } from "./verify-words.ts"
import { planWatch } from "./watch.ts"

export interface PlanKit extends Kit {
  /** The layer that compares calls with the approved plan; it belongs inside the permissions. */
  readonly watch: Middleware
  /** The plan of the session, once it has a name. */
  readonly plan: () => NamedPlan | undefined
  /** The same, named now if it has no name yet: before anything is written, so that permissions know it. */
  readonly named: () => NamedPlan
  readonly modeBefore: () => PermissionMode
  /** What the plan says now; undefined when there is none. */
  readonly text: () => string | undefined
  /** The entry that forgets the plan, for a conversation that begins anew; undefined when there is nothing to forget. */
  readonly forgotten: () => EntryBody | undefined
  /** The session has just become a copy of another one: it goes on with a copy of the plan, under a name of its own. */
  readonly forked: () => void
  /** What came of the plan that was approved last; undefined when none was, or it names nothing that can be seen. */
  readonly summary: () => PlanSummary | undefined
}

export function planKit(ports: PlanPorts): PlanKit {
  const { agent, files, record, mode } = ports
  let phase: Phase = beginning
  /** The phase of the conversation that was left. */
  let before: Phase = beginning
  let progress: Progress = noProgress
  /** The last plan of the log that was not forgotten, wherever the conversation stands: it can be forgotten before and after that moved. */
  let unforgotten: NamedPlan | undefined
  /** What was approved to be carried out in a conversation of its own, until that has begun. */
  let carried: ApprovedPlan | undefined
  let unsaid: readonly string[] = []
  let scopeOf: { readonly digest: string; readonly extract: PlanExtract | undefined } | undefined

  /** The plan file may be written without asking, so a log does not say which file that is: it must be one of ours. */
  const ownPlan = (): NamedPlan | undefined =>
    phase.plan && isPlanOf(ports.folder, phase.plan) ? phase.plan : undefined

  function named(): NamedPlan {
    if (agent.kind === "sub") return agentPlan(ports.folder, agent.slug(), agent.id)
    const own = ownPlan()
    if (own) return own
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

  const changedFiles = (): readonly string[] => progress.writes.filter((path) => path !== ownPlan()?.path)

  function summary(): PlanSummary | undefined {
    const extract = scope()
    return extract && summarize(extract, { ...progress, writes: changedFiles() }, ports.root)
  }

  function reminders(): readonly Attachment[] {
    const isPlanning = mode() === "plan"
    if (!isPlanning && !phase.needsExitNote) return []
    const path = isPlanning ? named().path : (ownPlan()?.path ?? "")
    return dueReminders(phase, {
      isPlanning,
      agent: agent.kind,
      path,
      exists: path !== "" && files.exists(path),
      agents: ports.agents(),
      canAsk: ports.canAsk,
    })
  }

  function outside(): readonly Attachment[] {
    if (unsaid.length === 0) return []
    return [{ name: attachmentNames.outside, text: outsideWords(unsaid), data: { outside: [...unsaid] } }]
  }

  /** A conversation that was begun anew for a plan knows nothing of the plan, so that is said there once more. */
  function carryOver(): void {
    if (!carried || phase.approved) return
    record({ kind: "plan", change: "approved", ...carried })
    carried = undefined
  }

  const exit = exitPlanTool({
    ...ports,
    ...(ports.startFresh && {
      startFresh(text: string) {
        carried = phase.approved
        ports.startFresh?.(text)
      },
    }),
    agent: agent.kind,
    plan: named,
    modeBefore: () => phase.modeBefore,
  })
  const enter = enterPlanTool({
    agent: agent.kind,
    mode,
    enter() {
      record({ kind: "mode", mode: "plan" })
      return named().path
    },
  })

  return {
    name: "plan",
    tools: [...(ports.canAsk ? [enter] : []), exit],
    watch: planWatch({
      ...ports,
      scope,
      progress: () => progress,
      announce: (items) => void (unsaid = [...unsaid, ...items]),
      planPath: () => ownPlan()?.path,
    }),
    conversation: {
      reset() {
        before = phase
        phase = beginning
        progress = noProgress
        unsaid = []
      },
      take(entry) {
        phase = foldPhase(phase, entry)
        progress = phase.approved ? foldProgress(progress, entry) : noProgress
        if (entry.kind === "attachment" && entry.name === attachmentNames.outside) unsaid = []
      },
      resume: () => void (phase = broughtUpTo(phase, before)),
    },
    take(entry) {
      if (entry.kind === "plan" && entry.change === "forgotten") carried = undefined
      const bodies = entry.kind === "compaction" ? entry.standing : [entry]
      for (const body of bodies)
        if (body.kind === "plan")
          unforgotten = body.change === "forgotten" ? undefined : { slug: body.slug, path: body.path }
    },
    attachments() {
      carryOver()
      // A session that is not kept says nowhere which mode it began in.
      if (phase.mode === undefined) phase = foldPhase(phase, { kind: "mode", mode: mode() })
      return Promise.resolve([...reminders(), ...outside()])
    },
    rest() {
      if (!phase.approved || progress.isVerifyTold || changedFiles().length === 0) return []
      return [{ name: attachmentNames.verify, text: verifyWords(phase.approved.path, summary()) }]
    },
    plan: ownPlan,
    named,
    modeBefore: () => phase.modeBefore,
    text() {
      const plan = ownPlan()
      const read = plan && files.read(plan.path)
      return read?.ok ? read.value : undefined
    },
    forgotten: () => unforgotten && { kind: "plan", change: "forgotten", ...unforgotten },
    forked() {
      const plan = ownPlan()
      const copy = plan && forkPlan(plan, ports)
      if (!copy) return
      record(
        copy.ok
          ? copy.value
          : {
              kind: "notice",
              level: "warning",
              text: `The plan is shared with the session it comes from: ${copy.failure}`,
            },
      )
    },
    summary,
  }
}
