/** The agents that this one started: those at work, those that are over, and those of before a resume. */

import type { ChildFact, ChildUsage } from "#agent/words/child.ts"
import type { Entry, EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { Clock } from "#lib/clock.ts"
import { type Deferred, deferred } from "#lib/deferred.ts"
import { given } from "#lib/given.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { activityIn } from "./activity.ts"
import type { SpawnPorts } from "./child.ts"
import type { Crowd } from "./crowd.ts"
import type { AgentDefinition } from "./definition.ts"
import { beginWork, type Ended, type Work } from "./work.ts"
import { resultWords } from "./words.ts"

export interface CrewPorts extends SpawnPorts {
  readonly crowd: Crowd
  readonly record: (body: EntryBody) => void
  readonly tell: (moment: Moment) => void
  readonly clock: Clock
  readonly ids: Ids
}

export interface StartAsk {
  readonly definition: AgentDefinition
  readonly description: string
  readonly prompt: string
  readonly model: string | undefined
  readonly isolation: "worktree" | undefined
  /** The agent that is to go on. */
  readonly resume: string | undefined
  readonly callId: string
  readonly signal: AbortSignal
}

/** An agent as it is now. */
export interface AgentState {
  readonly fact: ChildFact
  readonly usage: ChildUsage
  /** The call it has under way. */
  readonly doing?: string
}

export interface Crew {
  readonly start: (ask: StartAsk) => Promise<Result<Work, string>>
  /** Resolves with its end, or when the person sends it to the background. */
  readonly endOrMove: (work: Work) => Promise<Ended | "moved">
  readonly toBackground: (work: Work) => void
  /** Sends all that someone waits for to the background; whether there was one. */
  readonly moveAll: () => boolean
  readonly working: (agentId: string) => Work | undefined
  /** Everything that is known, oldest first. */
  readonly list: () => readonly AgentState[]
  readonly look: (agentId: string) => AgentState | undefined
  /** Whether a command of one of them runs in the background. */
  readonly isBusy: () => boolean
  /** Those at work, in words. */
  readonly running: () => readonly { readonly id: string; readonly what: string }[]
  /** What came of an agent that is over, in words. */
  readonly resultOf: (agentId: string) => string | undefined
  readonly steer: (agentId: string, content: readonly PromptBlock[]) => boolean
  readonly stop: (agentId: string) => boolean
  /** Those that nobody waited for and whose end nobody was told. */
  readonly untold: () => readonly ChildFact[]
  readonly markTold: (agentId: string) => void
  /** From here on, what is stopped has only so long to end. */
  readonly hurry: (graceMs: number) => void
  readonly take: (entry: Entry) => void
  readonly close: () => Promise<void>
}

export function openCrew(ports: CrewPorts): Crew {
  const { crowd, record } = ports
  const facts = new Map<string, ChildFact>()
  const works = new Map<string, Work>()
  const results = new Map<string, string>()
  const movable = new Map<string, Deferred<"moved">>()
  /** Those whose call was answered before they were done. */
  const unwatched = new Set<string>()
  const starting = new Set<Promise<unknown>>()
  let graceMs: number | undefined
  let isClosed = false

  function start(ask: StartAsk): Promise<Result<Work, string>> {
    const begun = startNow(ask)
    starting.add(begun)
    void begun.finally(() => starting.delete(begun))
    return begun
  }

  async function startNow(ask: StartAsk): Promise<Result<Work, string>> {
    if (isClosed) return failed("The session is being closed.")
    const { definition, resume, callId, signal } = ask
    if (resume !== undefined && works.has(resume)) return failed(`The agent ${resume} is still at work. Wait for it.`)
    const entered = crowd.enter()
    if (!entered.ok) return entered
    const leave = entered.value
    const agentId = resume ?? freshId()
    const fact: ChildFact = {
      agentId,
      agentType: definition.agentType,
      description: ask.description,
      callId,
      state: "started",
      ...given("path", ports.pathOf(agentId)),
    }
    // First of all, so that whatever ends the program now leaves it known.
    record({ kind: "child", ...fact })
    const spawned = signal.aborted
      ? failed("Interrupted before it began.")
      : await ports.spawn({ ...ask, agentId, log: resume === undefined ? "new" : "again" })
    if (!spawned.ok) {
      leave()
      record({ kind: "child", ...fact, state: "ended", end: "failed" })
      return spawned
    }
    const { worktree } = spawned.value
    // Where it works must be known when it is to go on there.
    if (worktree) record({ kind: "child", ...fact, worktree })
    const work = beginWork({
      ...ports,
      fact: { ...fact, ...given("worktree", worktree) },
      child: spawned.value,
      prompt: ask.prompt,
    })
    works.set(agentId, work)
    void work.ended.then((ended) => {
      leave()
      works.delete(agentId)
      results.set(agentId, resultWords(ended.fact, ended.activity, ended.remains))
    })
    if (isClosed) work.stop(graceMs)
    return ok(work)
  }

  function freshId(): string {
    for (;;) {
      const id = ports.ids.uuid().slice(0, 8)
      if (!facts.has(id)) return id
    }
  }

  function toBackground({ fact }: Work): void {
    unwatched.add(fact.agentId)
    record({ kind: "child", ...fact, state: "background" })
  }

  function stateOf(fact: ChildFact): AgentState {
    const work = works.get(fact.agentId)
    if (!work) return { fact, usage: fact.usage ?? noUsage }
    return { fact, usage: work.usage(), ...given("doing", work.activity().doing) }
  }

  return {
    start,
    async endOrMove(work) {
      const moved = deferred<"moved">()
      movable.set(work.fact.agentId, moved)
      const first = await Promise.race([work.ended, moved.promise])
      movable.delete(work.fact.agentId)
      return first
    },
    toBackground,
    moveAll() {
      const all = [...movable.values()]
      for (const moved of all) moved.resolve("moved")
      return all.length > 0
    },
    working: (agentId) => works.get(agentId),
    list: () => [...facts.values()].map(stateOf),
    look(agentId) {
      const fact = facts.get(agentId)
      return fact && stateOf(fact)
    },
    isBusy: () => [...works.values()].some((work) => work.isBusy()),
    running: () =>
      [...works.values()].map(({ fact }) => ({
        id: fact.agentId,
        what: `the ${fact.agentType} agent: ${fact.description}`,
      })),
    resultOf(agentId) {
      const fact = facts.get(agentId)
      if (fact?.state !== "ended") return undefined
      return results.get(agentId) ?? keptResult(fact, ports.entriesOf(agentId) ?? [])
    },
    steer: (agentId, content) => works.get(agentId)?.steer(content) ?? false,
    stop(agentId) {
      const work = works.get(agentId)
      work?.stop(graceMs)
      return work !== undefined
    },
    untold: () => [...facts.values()].filter(({ agentId, state }) => state === "ended" && unwatched.has(agentId)),
    markTold: (agentId) => void unwatched.delete(agentId),
    hurry: (most) => (graceMs = Math.min(graceMs ?? most, most)),
    take(entry) {
      if (entry.kind !== "child") return
      const { kind: _kind, uuid: _uuid, parentUuid: _parent, at: _at, ...fact } = entry
      // Anew at the end: what changed last is what is looked for.
      facts.delete(fact.agentId)
      facts.set(fact.agentId, fact)
      if (fact.state === "background") unwatched.add(fact.agentId)
      if (fact.state === "started") unwatched.delete(fact.agentId)
    },
    async close() {
      isClosed = true
      await Promise.all(starting)
      const open = [...works.values()]
      for (const work of open) work.stop(graceMs)
      await Promise.all(open.map(({ ended }) => ended))
    },
  }
}

const noUsage: ChildUsage = { tokens: 0, toolUses: 0, durationMs: 0 }
const nothingLeft = { commands: [], worktree: undefined, problems: [] }

/** What an agent of an earlier run of the program came to, from its log. */
const keptResult = (fact: ChildFact, entries: readonly Entry[]): string =>
  resultWords({ ...fact, usage: fact.usage ?? noUsage }, activityIn(entries), {
    ...nothingLeft,
    worktree: fact.worktree,
  })
