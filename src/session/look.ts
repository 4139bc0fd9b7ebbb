/** What a face may ask to see of a session besides what happens: the past, what was sent, and the way back. */

import type { CommandDefinition, CommandRow } from "#agent/words/command.ts"
import type { Entry } from "#agent/words/entry.ts"
import { type Branch, branches } from "#ground/transcript/path.ts"
import type { Workspace } from "#ground/workspace/workspace.ts"
import type { Checkpoints, RewindPoint, RewindPreview, TurnDiff, TurnSummary } from "#kits/checkpoints/checkpoints.ts"
import type { ContextParts } from "#kits/context/parts.ts"
import type { McpRoom } from "#kits/mcp/ports.ts"
import type { PlanKit } from "#kits/plan/kit.ts"
import type { AgentState, Crew } from "#kits/subagents/crew.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { Result } from "#lib/result.ts"
import type { Extensions } from "./commands.ts"
import { type InspectedRequest, inspect } from "./inspect.ts"
import type { MemoryFiles } from "./memory.ts"
import type { HooksLook } from "./hooks-look.ts"
import type { Past } from "./past.ts"
import type { Slash } from "./slash/command.ts"

export interface Look extends Seen {
  /** What a command of the program comes to; nothing where there is no such command. */
  readonly command: Slash
}

export interface Seen {
  /** Every entry of the log, in its order. */
  readonly entries: () => readonly Entry[]
  /** Every request, as it was sent. */
  readonly requests: () => readonly InspectedRequest[]
  /** The prompts of this conversation that one can go back to, oldest first. */
  readonly points: () => Promise<Result<readonly RewindPoint[], string>>
  readonly preview: (promptId: string, signal: AbortSignal) => Promise<Result<RewindPreview, string>>
  /** The ways this conversation went, in the order of their last entries. */
  readonly branches: () => readonly Branch[]
  /** What the session changed, turn by turn. */
  readonly diff: () => Promise<Result<readonly TurnDiff[], string>>
  /** What the last turn changed. */
  readonly summary: () => Promise<Result<TurnSummary, string>>
  readonly plan: () => { readonly path: string; readonly text: string | undefined } | undefined
  /** Commands that run in the background. */
  readonly background: () => readonly BackgroundRow[]
  /** What fills the window. */
  readonly context: () => ContextParts
  readonly memory: MemoryFiles
  /** What can be said with a slash, besides what a face knows itself. */
  readonly commands: () => readonly CommandRow[]
  /** What the files of commands and skills say, as they are now. */
  readonly definitions: () => readonly CommandDefinition[]
  /** The names of skills that the model may load, and the output style. */
  readonly skills: () => readonly string[]
  readonly outputStyle: () => string
  readonly outputStyles: () => readonly string[]
  /** The hooks that are configured, and how they ran. */
  readonly hooks: () => HooksLook
  /** The kinds of agents that can be started. */
  readonly agentTypes: () => readonly AgentDefinition[]
  /** Agents that were started, oldest first. */
  readonly agents: () => readonly AgentState[]
  /** What happened in one of them; nothing where nothing is kept. */
  readonly agent: (agentId: string) => readonly Entry[] | undefined
  /** The names of what can be called now. */
  readonly tools: () => readonly string[]
  /** The MCP servers, and what can be done about them; nothing where there are none. */
  readonly mcp: McpLook | undefined
}

/** A command that runs in the background. */
export interface BackgroundRow {
  readonly id: string
  readonly command: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** The last of what it printed. */
  readonly recent: string
}

/** The MCP servers of a session, as faces see them. */
export type McpLook = Omit<McpRoom, "kit" | "start" | "tools">

export function openLook(parts: {
  readonly past: Past
  readonly checkpoints: Checkpoints
  readonly plan: PlanKit
  readonly workspace: Workspace
  readonly context: () => ContextParts
  readonly memory: MemoryFiles
  readonly extensions: Pick<Extensions, "rows" | "definitions" | "skillNames" | "styles"> | undefined
  readonly hooks: () => HooksLook
  readonly crew: Crew | undefined
  readonly agentTypes: readonly AgentDefinition[]
  readonly agentEntries: (agentId: string) => readonly Entry[] | undefined
  readonly tools: () => readonly string[]
  readonly mcp: McpLook | undefined
}): Seen {
  const { past, checkpoints, plan, workspace, extensions } = parts
  return {
    context: parts.context,
    memory: parts.memory,
    commands: () => extensions?.rows() ?? [],
    definitions: () => extensions?.definitions() ?? [],
    skills: () => extensions?.skillNames() ?? [],
    outputStyle: () => extensions?.styles.chosen().name ?? "default",
    outputStyles: () => extensions?.styles.names() ?? ["default"],
    hooks: parts.hooks,
    tools: parts.tools,
    mcp: parts.mcp,
    agentTypes: () => parts.agentTypes,
    agents: () => parts.crew?.list() ?? [],
    agent: parts.agentEntries,
    entries: past.entriesNow,
    requests: () => inspect(past.entriesNow()),
    points: async () => checkpoints.points(await past.history(), await past.path("prompt")),
    preview: async (promptId, signal) => checkpoints.preview({ log: await past.history(), promptId, signal }),
    branches: () => branches(past.entriesNow()),
    diff: async () => checkpoints.diff(await past.history()),
    summary: async () => checkpoints.summary(await past.lastTurn()),
    plan() {
      const named = plan.plan()
      return named && { path: named.path, text: plan.text() }
    },
    background: () =>
      workspace.background
        .list()
        .flatMap(({ id, status, command, startedAt, recent }) =>
          status === "running" ? [{ id, command, startedAt, recent }] : [],
        ),
  }
}
