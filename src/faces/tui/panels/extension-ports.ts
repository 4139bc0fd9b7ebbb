/** What panels ask about what extends a session: servers, hooks, agents, skills, and what runs. */

import type { TeamLook } from "#agent/words/team.ts"
import type { Result } from "#lib/result.ts"
import type { Answers } from "#session/port/query.ts"
import type { Subscribe } from "./panel.ts"

export interface McpPort {
  readonly servers: () => Promise<readonly ServerRow[]>
  readonly watch: Subscribe
  /** Resolves when the server's state is known; fails with a sentence. */
  readonly reconnect: (name: string) => Promise<Result<void, string>>
  readonly enable: (name: string) => Promise<Result<void, string>>
  readonly disable: (name: string) => Promise<Result<void, string>>
}

export type ServerStatus = Answers["servers"][number]["status"]

export interface ServerRow {
  readonly name: string
  readonly source: string
  readonly kind: string
  readonly status: ServerStatus
  readonly readOnly?: boolean
  /** What is wrong, and the last of its error output. */
  readonly reason?: string
  readonly stderrTail?: string
  readonly about?: string
  readonly tools: readonly ServerTool[]
  readonly prompts: readonly string[]
  readonly resources: number
}

export interface ServerTool {
  readonly name: string
  readonly about: string
  readonly tokens: number
}

export interface HooksPort {
  readonly look: () => Promise<Answers["hooks"]>
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
  readonly look: () => Promise<TeamLook | null>
  readonly watch: Subscribe
  readonly say: (member: string, text: string) => Promise<Result<void, string>>
  readonly stop: (member: string) => Promise<Result<void, string>>
  /** `null`: to whoever is free first. */
  readonly assign: (taskId: string, to: string | null) => Promise<Result<void, string>>
}
