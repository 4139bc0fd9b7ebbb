/** An agent at work, as whoever started it holds it, and how one is started. */

import type { ChildFact, ChildWorktree } from "#agent/words/child.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { PromptBlock } from "#agent/words/message.ts"
import type { Result } from "#lib/result.ts"
import type { AgentTree } from "./agent-state.ts"
import type { AgentDefinition } from "./definition.ts"

export interface Child {
  /** The folder of its own that it works in, if it has one. */
  readonly worktree: ChildWorktree | undefined
  /** What happens from now on. It ends with `close`. */
  readonly events: AsyncIterable<Event>
  /** Whether it was taken. */
  readonly say: (content: readonly PromptBlock[], when: "steer" | "queue") => boolean
  /** `graceMs`: how long what runs in it may take to end, when the usual time is too long. */
  readonly interrupt: (graceMs?: number) => void
  /** Resolves when it does nothing. */
  readonly settled: () => Promise<void>
  /** Whether a command of its own runs in the background. */
  readonly isBusy: () => boolean
  /** The agents that it started itself. */
  readonly agents: AgentTree
  /** Ends it with all that it left running, and says what that was. */
  readonly close: () => Promise<ChildRemains>
}

export interface ChildRemains {
  /** Commands that ran in the background and were ended. */
  readonly commands: readonly string[]
  /** Its own folder, when there is something in it to keep. */
  readonly worktree: ChildWorktree | undefined
  /** What could not be done in the end, as sentences. */
  readonly problems: readonly string[]
}

export interface SpawnAsk {
  readonly agentId: string
  readonly definition: AgentDefinition
  readonly callId: string
  /** What the call says of the model. */
  readonly model: string | undefined
  /** `again`: it continues with its log; `waiting`: in the middle of the turn in which it waited for the user. */
  readonly log: "new" | "again" | "waiting"
  readonly isolation: "worktree" | undefined
  readonly signal: AbortSignal
}

export interface SpawnPorts {
  /** The failure is a sentence. */
  readonly spawn: (ask: SpawnAsk) => Promise<Result<Child, string>>
  /** Where the log of an agent is; nothing where none is kept. */
  readonly pathOf: (agentId: string) => string | undefined
  /** The agents that an agent of an earlier run of the program had started. */
  readonly agentsOf: (agentId: string) => readonly ChildFact[]
  /** What an agent's log holds; nothing where there is none. */
  readonly entriesOf: (agentId: string) => readonly Entry[] | undefined
}
