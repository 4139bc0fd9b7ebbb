/** Agents and background commands as tasks, in the words of clients. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import type { Envelope } from "./envelope.ts"

type ChildEntry = Extract<Entry, { readonly kind: "child" }>

export function agentTask(entry: ChildEntry, { of }: Envelope): object {
  const { agentId: task_id, agentType, callId: tool_use_id, description, state, end, usage, path } = entry
  switch (state) {
    case "started":
      return {
        type: "system",
        subtype: "task_started",
        task_id,
        tool_use_id,
        description,
        subagent_type: agentType,
        task_type: "local_agent",
        ...of(entry),
      }
    case "background":
      return { type: "system", subtype: "task_updated", task_id, patch: { is_backgrounded: true }, ...of(entry) }
    case "ended":
      return {
        type: "system",
        subtype: "task_notification",
        task_id,
        tool_use_id,
        status: end === "completed" ? "completed" : end === "stopped" ? "stopped" : "failed",
        summary: description,
        output_file: path ?? "",
        ...(usage && { usage: usageOf(usage) }),
        ...of(entry),
      }
  }
}

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

/** A command that goes on in the background; undefined for any other result. */
export function commandTask(
  { callId, data, display }: Extract<Entry, { readonly kind: "result" }>,
  { stamp }: Envelope,
): object | undefined {
  const id = data?.backgroundTaskId
  if (typeof id !== "string") return undefined
  return {
    type: "system",
    subtype: "task_started",
    task_id: id,
    tool_use_id: callId,
    description: display?.kind === "terminal" ? display.command : id,
    task_type: "local_bash",
    is_backgrounded: true,
    ...stamp(),
  }
}

export const commandEnd = (
  event: Extract<Event, { readonly type: "background_end" }>,
  tool_use_id: string | undefined,
  { stamp }: Envelope,
): object => ({
  type: "system",
  subtype: "task_notification",
  task_id: event.commandId,
  ...(tool_use_id !== undefined && { tool_use_id }),
  status: event.status === "killed" ? "stopped" : event.status,
  summary: event.command,
  output_file: event.file ?? "",
  usage: { total_tokens: 0, tool_uses: 0, duration_ms: event.durationMs },
  ...stamp(),
})

const usageOf = ({ tokens, toolUses, durationMs }: NonNullable<ChildFact["usage"]>): object => ({
  total_tokens: tokens,
  tool_uses: toolUses,
  duration_ms: durationMs,
})
