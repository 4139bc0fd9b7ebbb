/** The agents that this one started: running, ended, and from before a resume. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Entry } from "#agent/words/entry.ts"
import { type Deferred, deferred } from "#lib/deferred.ts"
import { optional } from "#lib/optional.ts"
import type { Result } from "#lib/result.ts"
import { activityIn } from "./activity.ts"
import { type AgentState, type AgentTree, noUsage } from "./agent-state.ts"
import type { Ended, Work } from "./work.ts"
import { type CrewPorts, openWorks, type StartAsk } from "./works.ts"
import { resultWords } from "./words.ts"

export interface Crew extends AgentTree {
  readonly start: (ask: StartAsk) => Promise<Result<Work, string>>
  /** Resolves with its end, or when the user sends it to the background. */
  readonly endOrMove: (work: Work) => Promise<Ended | "moved">
  readonly toBackground: (work: Work) => void
  /** Sends all agents that are waited for to the background; returns whether there was one. */
  readonly move: (callId?: string) => boolean
  readonly working: (agentId: string) => Work | undefined
  /** The agent of a call that is restarted after a resume, because its agent waited for the user. */
  readonly waitingFor: (callId: string) => ChildFact | undefined
  readonly stateOf: (agentId: string) => AgentState | undefined
  /** Whether a command of one of them runs in the background. */
  readonly isBusy: () => boolean
  readonly running: () => readonly { readonly id: string; readonly what: string }[]
  readonly resultOf: (agentId: string) => string | undefined
  readonly untold: () => readonly ChildFact[]
  readonly markTold: (agentId: string) => void
  /** Limits the time that stopped work has to end. */
  readonly hurry: (graceMs: number) => void
  readonly onEntry: (entry: Entry & { readonly kind: "child" }) => void
  readonly close: () => Promise<void>
}

export function openCrew(ports: CrewPorts): Crew {
  const { record } = ports
  const facts = new Map<string, ChildFact>()
  const results = new Map<string, string>()
  const nested = new Map<string, readonly AgentState[]>()
  const movable = new Map<string, Deferred<"moved">>()
  /** Agents whose call was answered before they ended. */
  const unwatched = new Set<string>()
  const works = openWorks(ports, {
    has: (agentId) => facts.has(agentId),
    onEnded({ fact, activity, remains, agents }) {
      results.set(fact.agentId, resultWords(fact, activity, remains))
      nested.set(fact.agentId, agents)
    },
  })

  function toBackground({ fact }: Work): void {
    unwatched.add(fact.agentId)
    record({ kind: "child", ...fact, state: "background" })
  }

  function stateOf(fact: ChildFact): AgentState {
    const work = works.get(fact.agentId)
    if (!work) return { fact, usage: fact.usage ?? noUsage, ...withAgents(agentsOf(fact)) }
    const { doing } = work.activity()
    const idle = work.isIdle() && { idle: true as const }
    return { fact, usage: work.usage(), ...optional("doing", doing), ...idle, ...withAgents(work.agents.list()) }
  }

  function agentsOf({ agentId }: ChildFact): readonly AgentState[] {
    const known = nested.get(agentId)
    if (known) return known
    const kept = ports.agentsOf(agentId).map((fact) => ({ fact, usage: fact.usage ?? noUsage }))
    nested.set(agentId, kept)
    return kept
  }

  return {
    start: works.start,
    stop: works.stop,
    hurry: works.hurry,
    close: works.close,
    working: works.get,
    async endOrMove(work) {
      const moved = deferred<"moved">()
      movable.set(work.fact.agentId, moved)
      const first = await Promise.race([work.ended, moved.promise])
      movable.delete(work.fact.agentId)
      return first
    },
    toBackground,
    move(callId) {
      const all = [...movable].filter(([id]) => callId === undefined || facts.get(id)?.callId === callId)
      for (const [, moved] of all) moved.resolve("moved")
      return all.length > 0
    },
    waitingFor: (callId) =>
      [...facts.values()].find(
        (fact) => fact.callId === callId && fact.state === "started" && !works.get(fact.agentId),
      ),
    list: () => [...facts.values()].map(stateOf),
    stateOf(agentId) {
      const fact = facts.get(agentId)
      return fact && stateOf(fact)
    },
    isBusy: () => works.all().some((work) => work.isBusy()),
    running: () =>
      works.all().map(({ fact }) => ({
        id: fact.agentId,
        what: `the ${fact.agentType} agent: ${fact.description}`,
      })),
    resultOf(agentId) {
      const fact = facts.get(agentId)
      if (fact?.state !== "ended") return undefined
      return results.get(agentId) ?? keptResult(fact, ports.entriesOf(agentId) ?? [])
    },
    steer: works.steer,
    stopCommand: works.stopCommand,
    // Members send word themselves.
    untold: () =>
      [...facts.values()].filter(
        ({ agentId, state, member }) => state === "ended" && member === undefined && unwatched.has(agentId),
      ),
    markTold: (agentId) => void unwatched.delete(agentId),
    onEntry(entry) {
      const { kind: _kind, uuid: _uuid, parentUuid: _parent, at: _at, ...fact } = entry
      // Moved to the end: the most recent change is looked for first.
      const prompt = facts.get(fact.agentId)?.prompt
      facts.delete(fact.agentId)
      if (fact.state === "started") nested.delete(fact.agentId)
      facts.set(fact.agentId, { ...optional("prompt", prompt), ...fact })
      if (fact.state === "background") unwatched.add(fact.agentId)
      if (fact.state === "started") unwatched.delete(fact.agentId)
    },
  }
}

const withAgents = (agents: readonly AgentState[]): Pick<AgentState, "agents"> =>
  agents.length === 0 ? {} : { agents }

const nothingLeft = { commands: [], worktree: undefined, problems: [] }

/** The result of an agent of an earlier process, from its log. */
const keptResult = (fact: ChildFact, entries: readonly Entry[]): string =>
  resultWords({ ...fact, usage: fact.usage ?? noUsage }, activityIn(entries), {
    ...nothingLeft,
    worktree: fact.worktree,
  })
