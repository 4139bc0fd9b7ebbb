/** What panels ask about what extends a session: servers, hooks, agents, skills, and what runs. */

import type { Result } from "#lib/result.ts"
import type { Answers } from "#session/port/query.ts"
import type { Subscribe } from "./panel.ts"

/** The MCP servers, and what can be done about them. */
export interface McpPort {
  readonly servers: () => Promise<readonly ServerRow[]>
  readonly watch: Subscribe
  /** Each resolves when it is known how the server stands, with a sentence where it came to nothing. */
  readonly reconnect: (name: string) => Promise<Result<void, string>>
  readonly enable: (name: string) => Promise<Result<void, string>>
  readonly disable: (name: string) => Promise<Result<void, string>>
}

export type ServerStatus = Answers["servers"][number]["status"]

export interface ServerRow {
  readonly name: string
  /** Where it is configured. */
  readonly source: string
  /** How it is reached. */
  readonly kind: string
  readonly status: ServerStatus
  /** The user marked it as read-only. */
  readonly readOnly?: boolean
  /** What is wrong, and the last of what it printed as errors. */
  readonly reason?: string
  readonly stderrTail?: string
  /** What it says it is. */
  readonly about?: string
  readonly tools: readonly ServerTool[]
  readonly prompts: readonly string[]
  readonly resources: number
}

export interface ServerTool {
  readonly name: string
  readonly about: string
  /** What its definition takes of the context. */
  readonly tokens: number
}

/** The hooks that are configured, and how they ran. */
export interface HooksPort {
  readonly look: () => Promise<Answers["hooks"]>
}

/** The kinds of agents there are. */
export interface AgentsPort {
  readonly list: () => Promise<Answers["agent_types"]>
}

/** The skills and commands that files bring. */
export interface SkillsPort {
  readonly list: () => Promise<Answers["definitions"]>
}

/** Agents and commands, running and finished. */
export interface TasksPort {
  readonly agents: () => Promise<Answers["agents"]>
  /** What happened in an agent; null where nothing is kept of it. */
  readonly agent: (agentId: string) => Promise<Answers["agent"]>
  /** Commands in the background, and those that ended. */
  readonly commands: () => Promise<Answers["background"]>
  readonly output: (commandId: string) => Promise<Answers["command_output"]>
  /** The entries of the last turn. */
  readonly turn: () => Promise<Answers["turn"]>
  readonly watch: Subscribe
  readonly stop: (agentId: string) => Promise<Result<void, string>>
  /** Ends a command that runs in the background. */
  readonly stopCommand: (commandId: string) => Promise<Result<void, string>>
  readonly say: (agentId: string, text: string) => Promise<Result<void, string>>
}
