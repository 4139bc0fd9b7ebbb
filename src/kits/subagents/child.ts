/** A running agent, as its parent holds it, and how one is started. */

import type { ChildFact, ChildWorktree } from "#agent/words/child.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { Event } from "#agent/words/event.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { Result } from "#lib/result.ts"
import type { AgentTree } from "./agent-state.ts"
import type { AgentDefinition } from "./definition.ts"

export interface Child {
  readonly worktree: ChildWorktree | undefined
  /** New events. Ends with `close`. */
  readonly events: AsyncIterable<Event>
  /** Returns whether it was accepted. */
  readonly say: (content: readonly PromptBlock[], when: "steer" | "queue") => boolean
  /** `graceMs`: how long running work may take to end, if the default is too long. */
  readonly interrupt: (graceMs?: number) => void
  readonly settled: () => Promise<void>
  /** Whether one of its commands runs in the background. */
  readonly isBusy: () => boolean
  /** Stops one of them; whether it ran. */
  readonly stopCommand: (commandId: string) => Promise<boolean>
  readonly agents: AgentTree
  /** Ends it with everything it left running, and says what that was. */
  readonly close: () => Promise<ChildRemains>
}

export interface ChildRemains {
  /** Background commands that were ended. */
  readonly commands: readonly string[]
  /** Its own worktree, if there is something in it to keep. */
  readonly worktree: ChildWorktree | undefined
  /** What failed at the end, as messages. */
  readonly problems: readonly string[]
}

/** What makes an agent a member of a team: it goes on after its turn, until it is over. */
export interface MemberSeat {
  readonly team: string
  readonly name: string
  /** The last message that is not for it, but for whoever had its name before. */
  readonly mailTo: number
  readonly plans: boolean
  readonly kits: readonly Kit[]
  readonly over: Promise<void>
  /** Whether nothing is left for it to do now. */
  readonly isIdle: () => boolean
  /** Whether it may only read and plan for now. */
  readonly isPlanning: () => boolean
  /** Starts it in another way than agents are started, if it does not run in this process. */
  readonly spawn?: (ask: SpawnAsk) => Promise<Result<Child, string>>
}

export interface SpawnAsk {
  readonly agentId: string
  readonly definition: AgentDefinition
  readonly callId: string
  readonly model: string | undefined
  /** `again`: it continues with its log; `waiting`: mid-turn, where it waited for the user. */
  readonly log: "new" | "again" | "waiting"
  readonly isolation: "worktree" | undefined
  readonly signal: AbortSignal
  readonly member?: MemberSeat | undefined
}

export interface SpawnPorts {
  /** Why no agent can have a worktree here; undefined if it can. */
  readonly noWorktree: () => string | undefined
  readonly spawn: (ask: SpawnAsk) => Promise<Result<Child, string>>
  readonly pathOf: (agentId: string) => string | undefined
  /** Agents started by an agent of an earlier process. */
  readonly agentsOf: (agentId: string) => readonly ChildFact[]
  readonly entriesOf: (agentId: string) => readonly Entry[] | undefined
}
