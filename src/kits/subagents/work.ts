/** One agent from start to end: watched while it works, closed when done, and its end recorded. */

import type { ChildFact, ChildUsage } from "#agent/words/child.ts"
import type { EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { Clock } from "#lib/clock.ts"
import { deferred } from "#lib/deferred.ts"
import { optional } from "#lib/optional.ts"
import { type Activity, foldActivity, noActivity } from "./activity.ts"
import type { AgentState, AgentTree } from "./agent-state.ts"
import type { Child, ChildRemains, MemberSeat } from "./child.ts"
import { endOf } from "./words.ts"

export interface Work {
  readonly fact: ChildFact
  readonly activity: () => Activity
  readonly usage: () => ChildUsage
  /** Resolves once it has ended and is closed and recorded. */
  readonly ended: Promise<Ended>
  /** Whether a command that it started runs in the background. */
  readonly isBusy: () => boolean
  /** Of a member: nothing is left for it to do now. */
  readonly isIdle: () => boolean
  readonly stop: (graceMs?: number) => void
  readonly steer: (content: readonly PromptBlock[]) => boolean
  readonly stopCommand: Child["stopCommand"]
  readonly agents: AgentTree
}

export interface Ended {
  readonly fact: ChildFact & { readonly usage: ChildUsage }
  readonly activity: Activity
  readonly remains: ChildRemains
  readonly agents: readonly AgentState[]
}

export interface WorkParts {
  readonly fact: ChildFact
  readonly child: Child
  /** Its first prompt; absent for one that continues by itself. */
  readonly prompt?: string
  readonly before?: Activity
  readonly member?: MemberSeat
  readonly record: (body: EntryBody) => void
  readonly publish: (moment: Moment) => void
  readonly clock: Clock
}

export function beginWork(parts: WorkParts): Work {
  const { fact, child, record, publish, clock, member } = parts
  const { agentId, callId } = fact
  const startedAt = clock.now()
  let activity = parts.before ?? noActivity
  const stopped = deferred<void>()
  let isStopped = false
  let overAt: number | undefined

  const usage = (): ChildUsage => ({
    tokens: activity.tokens,
    toolUses: activity.toolUses,
    durationMs: (overAt ?? clock.now()) - startedAt,
  })
  async function watch(): Promise<void> {
    for await (const event of child.events) {
      activity = foldActivity(activity, event)
      publish({ type: "child", agentId, callId, event })
    }
  }

  async function toTheEnd(watching: Promise<void>): Promise<Ended> {
    if (member) await Promise.race([member.over, stopped.promise])
    // A bug in the agent must not leave anyone waiting; its events say how its turn ended.
    await child.settled().catch(() => {})
    const remains = await child.close().catch(unclosed)
    // The watcher lags a little; after the close it has seen everything.
    await watching
    overAt = clock.now()
    const ended = {
      ...fact,
      state: "ended",
      end: endOf(activity, isStopped, member !== undefined),
      usage: usage(),
      ...optional("worktree", remains.worktree),
    } as const
    record({ kind: "child", ...ended })
    return { fact: ended, activity, remains, agents: child.agents.list() }
  }

  const watching = watch()
  if (parts.prompt !== undefined) child.say([{ type: "text", text: parts.prompt }], "queue")
  return {
    fact,
    activity: () => activity,
    usage,
    ended: toTheEnd(watching),
    isBusy: () => overAt === undefined && child.isBusy(),
    isIdle: () => overAt === undefined && member?.isIdle() === true,
    stop(graceMs) {
      isStopped = true
      stopped.resolve()
      child.interrupt(graceMs)
    },
    agents: child.agents,
    stopCommand: async (commandId) => overAt === undefined && (await child.stopCommand(commandId)),
    steer: (content) => overAt === undefined && !isStopped && child.say(content, "steer"),
  }
}

const unclosed = (error: unknown): ChildRemains => ({
  commands: [],
  worktree: undefined,
  problems: [`It could not be closed properly: ${error instanceof Error ? error.message : String(error)}`],
})
