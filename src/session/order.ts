/** The order of kits: as layers around a call, and as they speak to the model. */

import type { Kit } from "#agent/words/kit.ts"
import type { Compaction } from "#kits/compaction/kit.ts"
import type { StructuredKit } from "#kits/structured/kit.ts"
import type { UserContext } from "#kits/context/user-context.ts"
import type { Gathered } from "./gather.ts"

export interface RoomKits {
  readonly own: Gathered
  /** Checks the tool that is called, even when it is called through another. */
  readonly late: Kit | undefined
  readonly hooks: Kit | undefined
  /** Where the answer is wanted as data. */
  readonly structured: StructuredKit | undefined
  /** Kits of an embedding program, and those an agent gets from its parent. */
  readonly outside: readonly Kit[]
  readonly mcp: Kit | undefined
  readonly lsp: Kit | undefined
  readonly agent: readonly Kit[]
  readonly commands: Kit | undefined
  readonly skills: Kit | undefined
}

export interface RequestKits {
  readonly mentions: Kit | undefined
  readonly userContext: UserContext
  readonly critical: Kit | undefined
  readonly editor: Kit | undefined
  readonly usage: Kit | undefined
  readonly sessionMemory: Kit | undefined
  readonly relevantMemory: Kit | undefined
  readonly compaction: Compaction
}

/** The first is the outermost layer. Those of `requests` provide no tools. */
export function inOrder(rooms: RoomKits, requests?: RequestKits): readonly Kit[] {
  const { own } = rooms
  return present([
    requests?.mentions,
    requests?.userContext,
    own.callLimit,
    rooms.late,
    // Before every other layer: all later layers judge what hooks changed.
    rooms.hooks,
    requests?.relevantMemory,
    // Outside the permissions: a call that waits for a review after a crash is not judged again.
    own.gates,
    ...rooms.outside,
    rooms.mcp,
    rooms.structured,
    ...rooms.agent,
    own.tools,
    own.changedFiles,
    own.background,
    // Closed before the agents, so that its members end as members.
    own.team?.kit,
    ...own.programKits,
    own.agents,
    own.plan,
    own.todo,
    own.goal,
    own.loop,
    own.ask,
    own.web,
    own.permissions,
    own.delegate,
    own.planWatch,
    own.gates.watch,
    // Inside the permissions: no server starts for a call that is refused.
    rooms.lsp,
    // Before the snapshot, which then has what was unsaved.
    own.buffers,
    own.checkpoints,
    own.trace,
    own.intent,
    own.recorded,
    own.results,
    own.bound,
    own.seen,
    rooms.commands,
    rooms.skills,
    requests?.critical,
    requests?.editor,
    requests?.usage,
    requests?.sessionMemory,
    requests?.compaction,
  ])
}

/** From what the user said, to what the agent must know, to what only the main agent is told; others come last. */
export function inSpeakingOrder(all: readonly Kit[], rooms: RoomKits, requests: RequestKits): readonly Kit[] {
  const { own } = rooms
  const first = present([
    requests.mentions,
    own.changedFiles,
    rooms.lsp,
    requests.userContext,
    rooms.skills,
    own.plan,
    // After the plan, which may carry an approval over into a new conversation.
    own.gates,
    own.delegate,
    own.todo,
    own.goal,
    requests.critical,
    requests.editor,
    own.background,
    requests.relevantMemory,
    requests.usage,
  ])
  return [...first, ...all.filter((kit) => !first.includes(kit))]
}

const present = (kits: readonly (Kit | undefined)[]): readonly Kit[] => kits.filter((kit) => kit !== undefined)
