/** Where the members of a team run: in the lead's process, in processes or panes of their own, or as sessions of a fleet. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Member, TeamStore } from "#agent/words/team.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { Work } from "#kits/subagents/work.ts"
import type { Result } from "#lib/result.ts"
import type { MemberClones } from "#session/opening/member-port.ts"
import type { TeamPorts } from "#session/opening/team.ts"

export interface MemberHost {
  /** The member is in the roster already. The failure is a sentence. */
  readonly start: (ask: StartMember) => Promise<Result<HostedMember, string>>
  /** Continues one that was there before, with its log. */
  readonly resume: (ask: ResumeMember) => Promise<Result<HostedMember, string>>
  /** Whether a member goes on without being resumed. */
  readonly isIndependent: (id: string) => Promise<boolean>
  /** Tells members what is in force now, if that changed. */
  readonly publish: () => void
  /** What it says of its members is as the store has it now. */
  readonly refresh: () => Promise<void>
  /** Something changed in the store. */
  readonly attend: () => void
  /** The team is ended: so are members that would go on without a lead. */
  readonly end: () => Promise<void>
  readonly close: () => void
  /** Present where members that do not share the lead's folder have clones. */
  readonly clones?: MemberClones | undefined
}

export interface StartMember {
  readonly name: string
  readonly id: string
  readonly definition: AgentDefinition
  readonly description: string
  readonly prompt: string
  readonly model: string | undefined
  readonly isolation: "worktree" | undefined
  readonly plans: boolean
  /** The last message of whoever had its name before. */
  readonly mailTo: number
  readonly callId: string
  readonly within: string | undefined
  readonly signal: AbortSignal
}

export interface ResumeMember extends Omit<StartMember, "prompt"> {
  /** Set if its log does not have it. */
  readonly prompt: string | undefined
  /** As the store has it. */
  readonly before: Member
}

export interface HostedMember {
  readonly fact: ChildFact
  /** Set if the crew of this session has it. */
  readonly work?: Work
  /** Of its clone, if it has one. */
  readonly branch?: string | undefined
  /** `session`: wherever it runs, its session enters the roster itself. */
  readonly entered: "here" | "session"
}

/** What every host is opened with. */
export interface HostParts {
  readonly ports: TeamPorts
  readonly team: string
  readonly lead: string
  readonly store: TeamStore
  readonly me: { readonly pid: number; readonly start: string; readonly host: string }
  /** The session is closed; the team goes on when it is resumed. */
  readonly isClosing: () => boolean
  readonly onFailure: (error: unknown) => void
}

/** Undefined for one that has not heard yet what it was started for. */
export function wasLeft({ before, prompt }: Pick<ResumeMember, "before" | "prompt">): "working" | "idle" | undefined {
  if (prompt !== undefined) return undefined
  return before.state === "idle" ? "idle" : "working"
}
