/** Starts agents, and keeps the running ones until they end. */

import type { ChildFact } from "#agent/words/child.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { Clock } from "#lib/clock.ts"
import { optional } from "#lib/optional.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { activityIn } from "./activity.ts"
import type { AgentTree } from "./agent-state.ts"
import type { MemberSeat, SpawnPorts } from "./child.ts"
import type { AgentLimits } from "./agent-limits.ts"
import type { AgentDefinition } from "./definition.ts"
import { beginWork, type Ended, type Work } from "./work.ts"

export interface CrewPorts extends SpawnPorts {
  readonly agentLimits: AgentLimits
  readonly record: (body: EntryBody) => void
  readonly publish: (moment: Moment) => void
  readonly clock: Clock
  readonly ids: Ids
}

export interface StartAsk {
  readonly definition: AgentDefinition
  readonly description: string
  /** Absent for a member that continues and has its prompt. */
  readonly prompt: string | undefined
  readonly model: string | undefined
  readonly isolation: "worktree" | undefined
  readonly resume: string | undefined
  /** The id of a new one, if it is known already. */
  readonly id?: string | undefined
  /** Set if it continues by itself: it waited for the user when the program ended. */
  readonly waiting?: ChildFact | undefined
  readonly callId: string
  readonly within?: string | undefined
  readonly signal: AbortSignal
  readonly member?: MemberSeat | undefined
}

export interface Works {
  readonly start: (ask: StartAsk) => Promise<Result<Work, string>>
  readonly get: (agentId: string) => Work | undefined
  readonly all: () => readonly Work[]
  /** One of these, or one that any of them started. */
  readonly stop: AgentTree["stop"]
  readonly steer: AgentTree["steer"]
  readonly stopCommand: AgentTree["stopCommand"]
  /** Limits the time that stopped work has to end. */
  readonly hurry: (graceMs: number) => void
  readonly close: () => Promise<void>
}

export function openWorks(
  ports: CrewPorts,
  known: { readonly has: (agentId: string) => boolean; readonly onEnded: (ended: Ended) => void },
): Works {
  const { agentLimits, record } = ports
  const works = new Map<string, Work>()
  const starting = new Set<Promise<unknown>>()
  let graceMs: number | undefined
  let isClosed = false

  async function startNow(ask: StartAsk): Promise<Result<Work, string>> {
    if (isClosed) return failed("The session is being closed.")
    const { resume, waiting, signal } = ask
    if (resume !== undefined && works.has(resume)) return failed(`The agent ${resume} is still at work. Wait for it.`)
    const entered = agentLimits.enter(ask.member ? "member" : "agent")
    if (!entered.ok) return entered
    const leave = entered.value
    const agentId = resume ?? ask.id ?? freshId()
    const fact = waiting ?? newFact(agentId, ask)
    // First of all, so that it is known if the program ends now.
    if (!waiting) record({ kind: "child", ...fact, ...optional("prompt", ask.member && ask.prompt) })
    const spawned = signal.aborted
      ? failed("Interrupted before it began.")
      : await (ask.member?.spawn ?? ports.spawn)({
          ...ask,
          agentId,
          log: waiting ? "waiting" : resume === undefined ? "new" : "again",
        })
    if (!spawned.ok) {
      leave()
      record({ kind: "child", ...fact, state: "ended", end: "failed" })
      return spawned
    }
    const { worktree } = spawned.value
    // The worktree must be known to resume there.
    if (worktree && !waiting) record({ kind: "child", ...fact, worktree })
    const work = beginWork({
      ...ports,
      fact: { ...fact, ...optional("worktree", worktree) },
      child: spawned.value,
      ...(waiting ? { before: activityIn(ports.entriesOf(agentId) ?? []) } : optional("prompt", ask.prompt)),
      ...optional("member", ask.member),
    })
    works.set(agentId, work)
    void work.ended.then((ended) => {
      leave()
      works.delete(agentId)
      known.onEnded(ended)
    })
    if (isClosed) work.stop(graceMs)
    return ok(work)
  }

  function newFact(agentId: string, { definition, description, callId, within, member }: StartAsk): ChildFact {
    return {
      agentId,
      agentType: definition.agentType,
      description,
      callId,
      ...optional("within", within),
      ...optional("color", definition.color),
      ...optional("member", member?.name),
      state: "started",
      ...optional("path", ports.pathOf(agentId)),
    }
  }

  function freshId(): string {
    for (;;) {
      const id = ports.ids.uuid().slice(0, 8)
      if (!known.has(id)) return id
    }
  }

  return {
    start(ask) {
      const begun = startNow(ask)
      starting.add(begun)
      void begun.finally(() => starting.delete(begun))
      return begun
    },
    get: (agentId) => works.get(agentId),
    all: () => [...works.values()],
    stop(agentId) {
      const work = works.get(agentId)
      if (!work) return [...works.values()].some(({ agents }) => agents.stop(agentId))
      work.stop(graceMs)
      return true
    },
    steer(agentId, content) {
      const work = works.get(agentId)
      return work ? work.steer(content) : [...works.values()].some(({ agents }) => agents.steer(agentId, content))
    },
    async stopCommand(agentId, commandId) {
      const work = works.get(agentId)
      if (work) return work.stopCommand(commandId)
      const stopped = await Promise.all([...works.values()].map(({ agents }) => agents.stopCommand(agentId, commandId)))
      return stopped.includes(true)
    },
    hurry: (most) => (graceMs = Math.min(graceMs ?? most, most)),
    async close() {
      isClosed = true
      await Promise.all(starting)
      const open = [...works.values()]
      for (const work of open) work.stop(graceMs)
      await Promise.all(open.map(({ ended }) => ended))
    },
  }
}
