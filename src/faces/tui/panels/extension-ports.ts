/** What panels ask about what extends a session: servers, hooks, agents, skills, and what runs. */

import type { TeamOverview } from "#agent/words/team.ts"
import type { Result } from "#lib/result.ts"
import type { Answers } from "#session/port/query.ts"
import type { Subscribe } from "./panel.ts"

export interface McpPort {
  readonly servers: () => Promise<Answers["servers"]>
  readonly watch: Subscribe
  /** Resolves when the server's state is known; fails with a sentence. */
  readonly reconnect: (name: string) => Promise<Result<void, string>>
  readonly enable: (name: string) => Promise<Result<void, string>>
  readonly disable: (name: string) => Promise<Result<void, string>>
  readonly disableHere: (name: string) => Promise<Result<void, string>>
  readonly login: (name: string) => Promise<Result<void, string>>
}

export interface HooksPort {
  readonly overview: () => Promise<Answers["hooks"]>
}

export interface AgentsPort {
  readonly list: () => Promise<Answers["agent_types"]>
}

export interface SkillsPort {
  readonly list: () => Promise<Answers["definitions"]>
}

export interface TasksPort {
  readonly agents: () => Promise<Answers["agents"]>
  /** Null if nothing is kept of it. */
  readonly agent: (agentId: string) => Promise<Answers["agent"]>
  readonly commands: () => Promise<Answers["background"]>
  readonly output: (commandId: string) => Promise<Answers["command_output"]>
  readonly turn: () => Promise<Answers["turn"]>
  readonly watch: Subscribe
  readonly stop: (agentId: string) => Promise<Result<void, string>>
  readonly stopCommand: (commandId: string) => Promise<Result<void, string>>
  readonly say: (agentId: string, text: string) => Promise<Result<void, string>>
}

export interface TeamPort {
  /** Null where there is no team. */
  readonly overview: () => Promise<TeamOverview | null>
  readonly watch: Subscribe
  readonly say: (member: string, text: string) => Promise<Result<void, string>>
  readonly stop: (member: string) => Promise<Result<void, string>>
  /** `null`: to whoever is free first. */
  readonly assign: (taskId: string, to: string | null) => Promise<Result<void, string>>
}
