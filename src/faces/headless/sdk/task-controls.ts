/** Requests about work in the background: agents and commands are tasks to a client. */

import { optional } from "#lib/optional.ts"
import { ok } from "#lib/result.ts"
import { type Controls, no } from "./control.ts"
import { commandOfTask } from "./task-messages.ts"

export const taskControls: Controls = {
  async stop_task({ task_id: id }, { session }) {
    if (typeof id !== "string") return no("task_id must be a string.")
    const agent = await session.submit({ type: "stop_agent", agentId: id })
    const stopped = agent.ok ? agent : await session.submit({ type: "stop_command", ...commandOfTask(id) })
    return stopped.ok ? ok(undefined) : no(`There is no running task ${id}.`)
  },

  /** Whether anything could be moved. */
  async background_tasks({ tool_use_id: callId }, { session }) {
    if (callId !== undefined && typeof callId !== "string") return no("tool_use_id must be a string.")
    return ok({ backgrounded: (await session.submit({ type: "background", ...optional("callId", callId) })).ok })
  },

  async get_task_output({ task_id: id }, { session }) {
    if (typeof id !== "string") return no("task_id must be a string.")
    const output = await session.ask({ type: "command_output", commandId: id })
    if (!output) return no(`There is no task ${id}.`)
    const all = Buffer.from(output.text)
    const isCut = output.isCut || all.length > mostShown
    // A character that is cut in two is left out.
    const end = all
      .subarray(-mostShown)
      .toString("utf8")
      .replace(/^\ufffd+/, "")
    return ok({ output: isCut ? end : output.text, total_bytes: output.bytes, truncated: isCut })
  },
}

const mostShown = 8 * 1024
