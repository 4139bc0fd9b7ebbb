/** The work that goes on in the background, told whole whenever something joins or leaves. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import { optional } from "#lib/optional.ts"
import type { Envelope } from "./envelope.ts"
import { commandTaskId } from "./task-messages.ts"

interface LiveTask {
  readonly task_id: string
  readonly task_type: "local_agent" | "local_bash"
  readonly subagent_type?: string
  readonly description: string
  /** The agent that started it, if that was not the main one. */
  readonly parent_task_id?: string
}

export interface LiveTasks {
  /** Whether the event changed anything. */
  readonly onEvent: (event: Event) => boolean
  readonly message: () => object
}

export function openLiveTasks({ stamp }: Envelope): LiveTasks {
  const tasks = new Map<string, LiveTask>()

  function join(task: LiveTask): boolean {
    const isNew = !tasks.has(task.task_id)
    tasks.set(task.task_id, task)
    return isNew
  }

  function onEvent(event: Event, parent?: string): boolean {
    if (event.type === "child") return onEvent(event.event, event.agentId)
    if (event.type === "entry" && event.entry.kind === "child") return takeAgent(event.entry, parent)
    if (event.type === "background_end") return tasks.delete(commandTaskId(event.commandId, parent))
    return event.type === "entry" && event.entry.kind === "result" && takeResult(event.entry, parent)
  }

  function takeAgent(entry: Extract<Entry, { readonly kind: "child" }>, parent: string | undefined): boolean {
    const { agentId, agentType, description, state } = entry
    if (state === "ended") return leave(agentId)
    if (state === "started") return false
    const whose = optional("parent_task_id", parent)
    return join({ task_id: agentId, task_type: "local_agent", subagent_type: agentType, description, ...whose })
  }

  /** An agent takes its commands with it. */
  function leave(agentId: string): boolean {
    const gone = [...tasks.values()].filter(
      ({ task_id, task_type, parent_task_id }) =>
        task_id === agentId || (task_type === "local_bash" && parent_task_id === agentId),
    )
    for (const { task_id } of gone) tasks.delete(task_id)
    return gone.length > 0
  }

  function takeResult(
    { data, display }: Extract<Entry, { readonly kind: "result" }>,
    parent: string | undefined,
  ): boolean {
    const id = data?.backgroundTaskId
    if (typeof id !== "string") return false
    const description = display?.kind === "terminal" ? display.command : id
    const task_id = commandTaskId(id, parent)
    return join({ task_id, task_type: "local_bash", description, ...optional("parent_task_id", parent) })
  }

  return {
    onEvent,
    message: () => ({ type: "system", subtype: "background_tasks_changed", tasks: [...tasks.values()], ...stamp() }),
  }
}
