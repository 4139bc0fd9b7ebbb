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

export interface DeskKits {
  readonly mentions: Kit | undefined
  readonly userContext: UserContext
  readonly critical: Kit | undefined
  readonly editor: Kit | undefined
  readonly usage: Kit | undefined
  readonly sessionMemory: Kit | undefined
  readonly relevantMemory: Kit | undefined
  readonly compaction: Compaction
}

/** The first is the outermost layer. Kits outside the desk provide the tools. */
export function inOrder(rooms: RoomKits, desk?: DeskKits): readonly Kit[] {
  const { own } = rooms
  return present([
    desk?.mentions,
    desk?.userContext,
    own.callLimit,
    rooms.late,
    // Before every other layer: all later layers judge what hooks changed.
    rooms.hooks,
    desk?.relevantMemory,
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
    own.bound,
    own.seen,
    rooms.commands,
    rooms.skills,
    desk?.critical,
    desk?.editor,
    desk?.usage,
    desk?.sessionMemory,
    desk?.compaction,
  ])
}

/** From what the user said, to what the agent must know, to what only the main agent is told; others come last. */
export function inSpeakingOrder(all: readonly Kit[], rooms: RoomKits, desk: DeskKits): readonly Kit[] {
  const { own } = rooms
  const first = present([
    desk.mentions,
    own.changedFiles,
    rooms.lsp,
    desk.userContext,
    rooms.skills,
    own.plan,
    // After the plan, which may carry an approval over into a new conversation.
    own.gates,
    own.delegate,
    own.todo,
    own.goal,
    desk.critical,
    desk.editor,
    own.background,
    desk.relevantMemory,
    desk.usage,
  ])
  return [...first, ...all.filter((kit) => !first.includes(kit))]
}

const present = (kits: readonly (Kit | undefined)[]): readonly Kit[] => kits.filter((kit) => kit !== undefined)
