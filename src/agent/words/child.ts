/** An agent that another one started, as the one that started it knows it. */

export const childStates = ["started", "background", "ended"] as const
export type ChildState = (typeof childStates)[number]

/** `lost`: the program ended while it worked. */
export const childEnds = ["completed", "failed", "stopped", "lost"] as const
export type ChildEnd = (typeof childEnds)[number]

/** What an agent has used. */
export interface ChildUsage {
  /** What its conversation holds. */
  readonly tokens: number
  readonly toolUses: number
  readonly durationMs: number
}

/** Where an agent works that has a working folder of its own. */
export interface ChildWorktree {
  readonly path: string
  readonly branch: string
}

export interface ChildFact {
  readonly agentId: string
  readonly agentType: string
  readonly description: string
  /** The call that started it, or had it go on. */
  readonly callId: string
  /** The call or the prompt that this call was made for, where the model did not ask for it itself. */
  readonly within?: string
  readonly state: ChildState
  readonly end?: ChildEnd
  /** Its log; absent where nothing is kept. */
  readonly path?: string
  readonly usage?: ChildUsage
  readonly worktree?: ChildWorktree
  /** The colour that its definition names. */
  readonly color?: string
}

/** Who asks, when it is not the main agent. */
export interface AskingAgent {
  readonly id: string
  readonly type: string
}
