/** Plan mode: its tools, its file, what the model is told about it, and the watch over the approved plan. */

import type { EntryBody } from "#agent/words/entry.ts"
import { byKind } from "#agent/words/follower.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Middleware } from "#agent/words/middleware.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import { enterPlanTool } from "./enter-plan.ts"
import { exitPlanTool } from "./exit-plan.ts"
import { forkPlan } from "./file.ts"
import { type ApprovedPlan, attachmentNames, type NamedPlan } from "./phase.ts"
import type { PlanPorts } from "./ports.ts"
import type { PlanSummary } from "./progress.ts"
import { dueReminders } from "./reminder.ts"
import { openStanding, type PlanStanding } from "./standing.ts"
import { summaryWords } from "./summary-words.ts"
import { outsideWords, verifyShown, verifyWords } from "./verify-words.ts"
import { planWatch } from "./watch.ts"

export interface PlanKit extends Kit {
  /** The layer that compares calls with the approved plan; it belongs inside the permissions layer. */
  readonly watch: Middleware
  readonly plan: () => NamedPlan | undefined
  /** Named now if it has no name yet: before anything is written, so that permissions know it. */
  readonly named: () => NamedPlan
  readonly modeBefore: () => PermissionMode
  readonly text: () => string | undefined
  /** The entry that clears the plan, for a conversation that starts over; undefined when there is none. */
  readonly forgotten: () => EntryBody | undefined
  /** The session was just copied from another one: it continues with a copy of the plan under a new name. */
  readonly forked: () => void
  /** The result of the last approved plan; undefined if there is none, or it names nothing that can be observed. */
  readonly summary: () => PlanSummary | undefined
}

export function planKit(ports: PlanPorts): PlanKit {
  const { agent, files, record, mode } = ports
  const standing = openStanding(ports)
  const { phase, own, named, scope, changedFiles, summary } = standing
  const attached = planAttachments(ports, standing)
  /** The last plan of the log that was not cleared, on any branch: it can be cleared before and after a move. */
  let unforgotten: NamedPlan | undefined
  /** A plan approved to be carried out in a new conversation, until that has begun. */
  let carried: ApprovedPlan | undefined

  function takePlan(body: EntryBody): void {
    if (body.kind === "plan")
      unforgotten = body.change === "forgotten" ? undefined : { slug: body.slug, path: body.path }
  }

  /** A conversation started over for a plan knows nothing of its approval, so that is recorded there once more. */
  function carryOver(): void {
    if (!carried || phase().approved) return
    record({ kind: "plan", change: "approved", ...carried })
    carried = undefined
  }

  /** What the user is told at the end of each turn that worked on the plan. */
  let lastSummary = ""
  function tellSummary(): void {
    const items = summary()
    const text = items && agent.kind === "main" && standing.progress().isMoved ? summaryWords(items) : ""
    if (text === "" || text === lastSummary) return
    lastSummary = text
    record({ kind: "notice", level: "info", text })
  }

  const exit = exitPlanTool({
    ...ports,
    ...(ports.startFresh && {
      startFresh(text: string) {
        carried = phase().approved
        ports.startFresh?.(text)
      },
    }),
    agent: agent.kind,
    plan: named,
    modeBefore: () => phase().modeBefore,
    approved: () => phase().approved?.digest,
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
      progress: standing.progress,
      announce: standing.announce,
      planPath: () => own()?.path,
    }),
    conversation: standing.conversation,
    onEntry: byKind({
      plan(entry) {
        if (entry.change === "forgotten") carried = undefined
        takePlan(entry)
      },
      compaction: ({ standing: bodies }) => bodies.forEach(takePlan),
    }),
    attachments() {
      carryOver()
      standing.settle()
      return attached()
    },
    rest() {
      const { approved } = phase()
      if (!approved || changedFiles().length === 0) return []
      if (standing.progress().isVerifyTold) {
        tellSummary()
        return []
      }
      return [
        { name: attachmentNames.verify, text: verifyWords(approved.path, summary()), data: { shown: verifyShown } },
      ]
    },
    plan: own,
    named,
    modeBefore: () => phase().modeBefore,
    text() {
      const plan = own()
      const read = plan && files.read(plan.path)
      return read?.ok ? read.value : undefined
    },
    forgotten: () => unforgotten && { kind: "plan", change: "forgotten", ...unforgotten },
    forked: () => copyPlan(own(), ports),
    summary,
  }
}

/** What is due to be said about planning, and about work outside the plan. */
function planAttachments(ports: PlanPorts, standing: PlanStanding): () => readonly Attachment[] {
  const { agent, files, mode } = ports
  const { phase, own, named, unsaid } = standing

  function reminders(): readonly Attachment[] {
    const isPlanning = mode() === "plan"
    if (!isPlanning && !phase().needsExitNote) return []
    const path = isPlanning ? named().path : (own()?.path ?? "")
    return dueReminders(phase(), {
      isPlanning,
      agent: agent.kind,
      path,
      exists: path !== "" && files.exists(path),
      agents: ports.agents(),
      canAsk: ports.canAsk,
      instructions: ports.instructions,
    })
  }

  function outside(): readonly Attachment[] {
    const items = unsaid()
    if (items.length === 0) return []
    return [{ name: attachmentNames.outside, text: outsideWords(items), data: { outside: [...items] } }]
  }

  return () => [...reminders(), ...outside()]
}

function copyPlan(plan: NamedPlan | undefined, ports: PlanPorts): void {
  const copy = plan && forkPlan(plan, ports)
  if (!copy) return
  ports.record(
    copy.ok
      ? copy.value
      : {
          kind: "notice",
          level: "warning",
          text: `The plan is shared with the session it comes from: ${copy.failure}`,
        },
  )
}
