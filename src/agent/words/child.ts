/** An agent started by another agent, as its parent knows it. */

export const childStates = ["started", "background", "ended"] as const
export type ChildState = (typeof childStates)[number]

/** `lost`: the program ended while it worked. */
export const childEnds = ["completed", "failed", "stopped", "lost"] as const
export type ChildEnd = (typeof childEnds)[number]

export interface ChildUsage {
  readonly tokens: number
  readonly toolUses: number
  readonly durationMs: number
}

export interface ChildWorktree {
  readonly path: string
  readonly branch: string
}

export interface ChildFact {
  readonly agentId: string
  readonly agentType: string
  readonly description: string
  /** The call that started or continued it. */
  readonly callId: string
  /** The call or prompt this call was made for, if the model did not ask for it directly. */
  readonly within?: string
  readonly state: ChildState
  readonly end?: ChildEnd
  /** Its log; absent where nothing is kept. */
  readonly path?: string
  readonly usage?: ChildUsage
  readonly worktree?: ChildWorktree
  readonly color?: string
  /** Its name in the team, if it is a member: it does not end with its turn. */
  readonly member?: string
  /** The first prompt of a member, which its log may lack if the program ended as it began. */
  readonly prompt?: string
}

/** Set when it is not the main agent. */
export interface AskingAgent {
  readonly id: string
  readonly type: string
  /** Of a member of a team. */
  readonly name?: string
  /** Its own worktree, if it has one. */
  readonly folder?: string
}
