/** Agents and background commands as tasks, in the words of clients. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import { optional } from "#lib/optional.ts"
import type { Envelope } from "./envelope.ts"

type ChildEntry = Extract<Entry, { readonly kind: "child" }>

/** Where a task is among those that started one another; absent for one of the main agent. */
export interface TaskParent {
  readonly agentId: string
  /** Of the agent itself: 1 for one that the main agent started. */
  readonly depth: number
}

const separator = "."

/** Agents number their commands for themselves, so the id of an agent's command names the agent too. */
export const commandTaskId = (commandId: string, agentId: string | undefined): string =>
  agentId === undefined ? commandId : `${agentId}${separator}${commandId}`

export function commandOfTask(taskId: string): { readonly commandId: string; readonly agentId?: string } {
  const at = taskId.indexOf(separator)
  if (at === -1) return { commandId: taskId }
  return { agentId: taskId.slice(0, at), commandId: taskId.slice(at + separator.length) }
}

/** A worktree is recorded with a second entry that says `started`, which is no news for clients. */
export function agentTask(
  entry: ChildEntry,
  envelope: Envelope,
  { parent, prompt }: { readonly parent?: TaskParent; readonly prompt?: string | undefined },
): readonly object[] {
  const { agentId: task_id, agentType, callId: tool_use_id, description, state, end, usage, path, worktree } = entry
  const { of, stamp } = envelope
  switch (state) {
    case "started":
      if (worktree) return []
      return [
        {
          type: "system",
          subtype: "task_started",
          task_id,
          tool_use_id,
          description,
          subagent_type: agentType,
          task_type: "local_agent",
          is_backgrounded: false,
          spawn_depth: (parent?.depth ?? 0) + 1,
          ...optional("parent_task_id", parent?.agentId),
          ...optional("prompt", prompt),
          ...of(entry),
        },
      ]
    case "background":
      return [updated(task_id, { is_backgrounded: true }, of(entry))]
    case "ended": {
      const status = end === "completed" ? "completed" : end === "stopped" ? "stopped" : "failed"
      return [
        updated(task_id, { status: status === "stopped" ? "killed" : status, end_time: entry.at }, stamp()),
        {
          type: "system",
          subtype: "task_notification",
          task_id,
          tool_use_id,
          status,
          ...(end === "lost" && { reason: "worker_restart" }),
          summary: description,
          output_file: path ?? "",
          ...(usage && { usage: usageOf(usage) }),
          ...of(entry),
        },
      ]
    }
  }
}

const updated = (task_id: string, patch: object, stamped: object): object => ({
  type: "system",
  subtype: "task_updated",
  task_id,
  patch,
  ...stamped,
})

/** What an agent has done so far, told with each of its results. */
export const agentProgress = (
  { fact, usage, tool }: { readonly fact: ChildFact; readonly usage: NonNullable<ChildFact["usage"]>; tool: string },
  { stamp }: Envelope,
): object => ({
  type: "system",
  subtype: "task_progress",
  task_id: fact.agentId,
  tool_use_id: fact.callId,
  description: fact.description,
  subagent_type: fact.agentType,
  usage: usageOf(usage),
  last_tool_name: tool,
  ...stamp(),
})

/** A command that goes on in the background; nothing for any other result. */
export function commandTask(
  { callId, data, display }: Extract<Entry, { readonly kind: "result" }>,
  { stamp }: Envelope,
  agentId?: string,
): readonly object[] {
  const id = data?.backgroundTaskId
  if (typeof id !== "string") return []
  return [
    {
      type: "system",
      subtype: "task_started",
      task_id: commandTaskId(id, agentId),
      tool_use_id: callId,
      description: display?.kind === "terminal" ? display.command : id,
      task_type: "local_bash",
      is_backgrounded: true,
      ...optional("parent_task_id", agentId),
      ...stamp(),
    },
  ]
}

export function commandEnd(
  event: Extract<Event, { readonly type: "background_end" }>,
  tool_use_id: string | undefined,
  { stamp }: Envelope,
  now: number,
  agentId?: string,
): readonly object[] {
  const task_id = commandTaskId(event.commandId, agentId)
  return [
    updated(task_id, { status: event.status, end_time: now }, stamp()),
    {
      type: "system",
      subtype: "task_notification",
      task_id,
      ...optional("tool_use_id", tool_use_id),
      status: event.status === "killed" ? "stopped" : event.status,
      summary: event.command,
      output_file: event.file ?? "",
      usage: { total_tokens: 0, tool_uses: 0, duration_ms: event.durationMs },
      ...stamp(),
    },
  ]
}

const usageOf = ({ tokens, toolUses, durationMs }: NonNullable<ChildFact["usage"]>): object => ({
  total_tokens: tokens,
  tool_uses: toolUses,
  duration_ms: durationMs,
})
