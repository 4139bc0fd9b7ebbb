/** The agent as the loop knows it, made of the parts of a session. */

import type { Agent } from "#agent/agent.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Middleware, Next } from "#agent/words/middleware.ts"
import type { Request } from "#agent/words/model.ts"
import type { Admission } from "./admission.ts"
import { attach } from "./attach.ts"
import type { Feed } from "./feed.ts"
import type { SessionHooks } from "./hooks.ts"
import type { Inbox } from "./inbox.ts"
import type { Mender } from "./mend.ts"
import type { SessionOptions } from "./options.ts"
import type { Preparation } from "./prepare.ts"
import type { Recorder } from "./recorder.ts"

export interface AgentParts {
  readonly options: SessionOptions
  readonly kits: readonly Kit[]
  /** Those that may add to the conversation. */
  readonly attaching: readonly Kit[]
  readonly preparation: Preparation
  /** Hears of every request that is about to be sent. */
  readonly onSent: (request: Request) => void
  readonly mender: Mender
  readonly recorder: Recorder
  readonly feed: Feed
  readonly inbox: Inbox
  /** Absent where no hook is configured. */
  readonly hooks?: Pick<SessionHooks, "flush" | "stopped" | "atRest"> | undefined
  readonly admission?: Admission | undefined
  /** What must be there before a request: servers on their way, for as long as they are waited for. */
  readonly ready?: (signal: AbortSignal) => Promise<void>
}

export interface LiveAgent extends Agent {
  /** From here on, what is interrupted has only so long to end. */
  readonly hurry: (graceMs: number) => void
}

export function openAgent(parts: AgentParts): LiveAgent {
  const { options, kits, preparation, mender, recorder, feed, inbox, hooks } = parts
  const { record } = recorder
  const { clock } = options
  let graceMs = options.limits.graceMs

  const deliver = async (signal: AbortSignal): Promise<boolean> => {
    const steering = inbox.takeSteering()
    if (steering.length === 0) return false
    const passed = parts.admission ? await parts.admission.steering(steering, signal) : steering
    for (const { promptId, content } of passed) record({ kind: "prompt", promptId, content })
    feed.publish({ type: "queue_change", texts: inbox.texts() })
    return passed.length > 0
  }
  /** What the kits have to say when the model is done: it hears that, too, before the turn ends. */
  const tellAtRest = (): boolean => {
    const news = kits.flatMap((kit) => kit.rest?.() ?? [])
    for (const attachment of news) record({ kind: "attachment", ...attachment })
    return news.length > 0
  }

  return {
    model: options.model.port,
    clock,
    limits: {
      ...options.limits,
      get graceMs() {
        return graceMs
      },
    },
    hurry: (most) => (graceMs = Math.min(graceMs, most)),
    record,
    tell: feed.publish,
    async prepare(wish, signal) {
      const stopped = hooks?.stopped()
      if (stopped) return { kind: "stop", end: stopped }
      const prepared = await preparation.prepare(wish, signal)
      if (prepared.kind === "request") parts.onSent(prepared.request)
      return prepared
    },
    tools: preparation.tools,
    call: layered(kits.flatMap((kit) => kit.middleware ?? [])),
    apply: ({ path }) => void record({ kind: "cwd", path }),
    settle: (_model, usage) => preparation.settle(usage),
    mend: mender.mend,
    async gather(signal) {
      await deliver(signal)
      await parts.ready?.(signal)
      await attach(parts.attaching, { record, clock, signal })
      // Not awaited: the step's facts are written already, and only a power cut could lose them.
      void recorder.sync()
    },
    rest: async (signal) => {
      const said = await deliver(signal)
      const next = tellAtRest() || said ? "go_on" : ((await hooks?.atRest(signal)) ?? "end")
      // The next request is made without gathering.
      if (next === "go_on") hooks?.flush()
      return next
    },
  }
}

/** The layers as one function, the first outermost, the tool itself innermost. */
function layered(layers: readonly Middleware[]): Next {
  const innermost: Next = (call) => call.tool.run(call.parsed, call)
  return layers.reduceRight<Next>((next, layer) => (call) => layer(call, next), innermost)
}
