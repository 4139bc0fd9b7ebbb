/** The work that goes on in the background, told whole whenever something joins or leaves. */

import type { Entry } from "#agent/words/entry.ts"
import type { Event } from "#agent/words/event.ts"
import { given } from "#lib/given.ts"
import type { Envelope } from "./envelope.ts"

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
  readonly take: (event: Event) => boolean
  readonly message: () => object
}

export function openLiveTasks({ stamp }: Envelope): LiveTasks {
  const tasks = new Map<string, LiveTask>()

  function join(task: LiveTask): boolean {
    const isNew = !tasks.has(task.task_id)
    tasks.set(task.task_id, task)
    return isNew
  }

  function take(event: Event, parent?: string): boolean {
    if (event.type === "child") return take(event.event, event.agentId)
    if (event.type === "entry" && event.entry.kind === "child") return takeAgent(event.entry, parent)
    // Agents number their commands for themselves, so those cannot be told apart here.
    if (parent !== undefined) return false
    if (event.type === "background_end") return tasks.delete(event.commandId)
    return event.type === "entry" && event.entry.kind === "result" && takeResult(event.entry)
  }

  function takeAgent(entry: Extract<Entry, { readonly kind: "child" }>, parent: string | undefined): boolean {
    const { agentId, agentType, description, state } = entry
    if (state === "ended") return tasks.delete(agentId)
    if (state === "started") return false
    const whose = given("parent_task_id", parent)
    return join({ task_id: agentId, task_type: "local_agent", subagent_type: agentType, description, ...whose })
  }

  function takeResult({ data, display }: Extract<Entry, { readonly kind: "result" }>): boolean {
    const id = data?.backgroundTaskId
    if (typeof id !== "string") return false
    const description = display?.kind === "terminal" ? display.command : id
    return join({ task_id: id, task_type: "local_bash", description })
  }

  return {
    take,
    message: () => ({ type: "system", subtype: "background_tasks_changed", tasks: [...tasks.values()], ...stamp() }),
  }
}
