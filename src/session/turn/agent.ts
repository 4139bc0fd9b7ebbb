/** The agent as the loop knows it, built from the parts of a session. */

import type { OverBudget } from "#session/opening/budget-pause.ts"
import type { Agent, TurnLimits } from "#agent/agent.ts"
import type { End } from "#agent/words/end.ts"
import type { Attachment, Kit } from "#agent/words/kit.ts"
import type { Model, Request } from "#agent/words/model.ts"
import { descriptorLimit, mostCalls } from "#ground/workspace/processes/descriptors.ts"
import { lazily } from "#lib/lazily.ts"
import { optional } from "#lib/optional.ts"
import type { Clock } from "#lib/clock.ts"
import type { PromptAdmission } from "./admission.ts"
import { attach } from "./attach.ts"
import type { Calls } from "./calls.ts"
import type { GoalKit } from "#kits/goal/kit.ts"
import type { SessionHooks } from "#session/adapters/hooks.ts"
import type { Inbox } from "#session/journal/inbox.ts"
import type { Journal } from "#session/journal/journal.ts"
import type { Recovery } from "#session/request/recover.ts"
import type { Preparation } from "#session/request/prepare.ts"

export interface AgentParts {
  readonly model: Model
  readonly limits: TurnLimits
  readonly clock: Clock
  readonly calls: Calls
  readonly kits: readonly Kit[]
  readonly attaching: () => readonly Kit[]
  readonly preparation: Preparation
  /** Makes room in the context; a result ends the turn. */
  readonly makeRoom: (signal: AbortSignal) => Promise<End | undefined>
  /** Called before every request is sent. */
  readonly onSent: (request: Request) => void
  readonly recovery: Recovery
  readonly overBudget: OverBudget
  readonly journal: Pick<Journal, "record" | "sync" | "feed">
  readonly inbox: Inbox
  readonly hooks?: Pick<SessionHooks, "afterBatch" | "flush" | "stopped" | "atRest"> | undefined
  readonly goal?: Pick<GoalKit, "atRest" | "stopped"> | undefined
  readonly admission?: PromptAdmission | undefined
  /** How a turn ends in which nothing is left to do; completed when absent. */
  readonly end?: () => End
  /** Waits, up to a limit, for servers that are connecting. */
  readonly ready?: (signal: AbortSignal) => Promise<void>
  readonly arrived?: (signal: AbortSignal) => Promise<void>
}

const askAgainMs = 200

export interface LiveAgent extends Agent {
  readonly news: () => readonly Attachment[]
  /** Limits the time that interrupted work has to end. */
  readonly hurry: (graceMs: number) => void
}

export function openAgent(parts: AgentParts): LiveAgent {
  const { kits, clock, calls, preparation, recovery, journal, inbox, hooks } = parts
  const { record, feed } = journal
  let graceMs = parts.limits.graceMs
  const mostSideBySide = lazily(() => mostCalls(descriptorLimit()))

  const deliver = async (signal: AbortSignal): Promise<boolean> => {
    const steering = inbox.takeSteering()
    if (steering.length === 0) return false
    const passed = parts.admission ? await parts.admission.steering(steering, signal) : steering
    for (const { promptId, content, origin } of passed)
      record({ kind: "prompt", promptId, content, ...optional("origin", origin) })
    feed.publish({ type: "queue_change", texts: inbox.texts() })
    return passed.length > 0
  }
  const news = (): readonly Attachment[] => kits.flatMap((kit) => kit.rest?.() ?? [])
  /** Kits may have something to say when the model is done: it is told before the turn ends. */
  const tellAtRest = (): boolean => {
    const all = news()
    for (const attachment of all) record({ kind: "attachment", ...attachment })
    return all.length > 0
  }

  return {
    model: parts.model,
    clock,
    news,
    limits: {
      ...parts.limits,
      get graceMs() {
        return graceMs
      },
      get concurrency() {
        return Math.min(parts.limits.concurrency, mostSideBySide())
      },
    },
    hurry: (most) => (graceMs = Math.min(graceMs, most)),
    record,
    publish: feed.publish,
    async prepare(wish, signal) {
      const stopped = hooks?.stopped() ?? parts.goal?.stopped()
      if (stopped) return { kind: "stop", end: stopped }
      const full = await parts.makeRoom(signal)
      if (full) return { kind: "stop", end: full }
      for (;;) {
        const prepared = await preparation.prepare(wish)
        if (prepared.kind === "request") parts.onSent(prepared.request)
        if (prepared.kind !== "over_budget") return prepared
        const { refusal } = prepared
        if (refusal.kind === "over_cap" && refusal.held) {
          // Nobody says when a request of another process is paid.
          await (refusal.held === "here" ? preparation.returned(signal) : clock.sleep(askAgainMs, signal))
          if (!signal.aborted) continue
        }
        if ((await parts.overBudget(refusal, signal)) === "stop")
          return { kind: "stop", end: { reason: "max_budget", message: refusal.message } }
      }
    },
    tools: calls.tools,
    ...optional("arrived", parts.arrived),
    call: calls.call,
    apply: ({ path }) => void record({ kind: "cwd", path }),
    settle: (_model, usage) => preparation.settle(usage),
    release: preparation.release,
    recover: recovery.recover,
    async gather(signal) {
      if (hooks) await hooks.afterBatch(signal)
      await deliver(signal)
      if (parts.ready) await parts.ready(signal)
      await attach(parts.attaching(), { record, clock, signal })
      // Not awaited: the step's entries are already written, and only a power cut could lose them.
      void journal.sync()
    },
    rest: async (signal) => {
      const said = await deliver(signal)
      for (const kit of kits) await kit.beforeRest?.(signal)
      const asked = tellAtRest() || said ? "go_on" : ((await hooks?.atRest(signal)) ?? "end")
      const next = asked === "end" ? ((await parts.goal?.atRest(signal)) ?? asked) : asked
      // The next request does not gather attachments.
      if (next === "go_on") hooks?.flush()
      return next === "end" ? (parts.end?.() ?? next) : next
    },
  }
}
