/** What a session offers the team it may lead, and what it gets from it. */

import type { EntryBody } from "#agent/words/entry.ts"
import type { Moment } from "#agent/words/event.ts"
import type { Kit } from "#agent/words/kit.ts"
import type { AssignTask, TeamOverview } from "#agent/words/team.ts"
import type { PermissionMode } from "#agent/words/permission.ts"
import type { Questions } from "#session/journal/questions.ts"
import type { AnyTool } from "#agent/words/tool.ts"
import type { GitParts } from "#ground/workspace/git/run-git.ts"
import type { SpawnPorts } from "#kits/subagents/child.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { Crew } from "#kits/subagents/crew.ts"
import type { Members } from "#kits/subagents/members.ts"
import type { Clock } from "#lib/clock.ts"
import type { Ids } from "#lib/ids.ts"
import type { LeadPort } from "./member-port.ts"
import type { TeamHooks } from "./team-hooks.ts"

export interface TeamPorts extends Pick<SpawnPorts, "noWorktree" | "pathOf" | "entriesOf"> {
  readonly sessionId: string
  readonly cwd: string
  readonly pid: number
  readonly stateFolder: string
  readonly definitions: readonly AgentDefinition[]
  /** Where branches can be merged. */
  readonly git?: (GitParts & { readonly repository: string }) | undefined
  readonly crew: Pick<Crew, "start" | "stop" | "toBackground" | "working" | "stateOf">
  /** Asks the user; absent where there is nobody to ask. */
  readonly ask?: Questions["ask"] | undefined
  /** The mode in which members work. */
  readonly mode: () => PermissionMode
  readonly record: (body: EntryBody) => void
  readonly publish: (moment: Moment) => void
  readonly hook: TeamHooks
  /** Present where members do not run in this process. */
  readonly leadPort?: LeadPort | undefined
  /** Why they do, although they were meant not to. */
  readonly whyInProcess?: string | undefined
  /** Members share the lead's folder unless Task says otherwise. */
  readonly shares?: boolean
  readonly clock: Clock
  readonly ids: Ids
}

export interface TeamKit {
  readonly kit: Kit
  /** Tools that join the listed ones once there is a team. The same value as long as they are the same. */
  readonly joined: () => readonly AnyTool[]
  readonly members: Members
  readonly overview: () => Promise<TeamOverview | undefined>
  readonly assign?: AssignTask
  /** The log has been read: a team that it names goes on. */
  readonly start: () => void
}

export type OpenTeam = (ports: TeamPorts) => TeamKit
