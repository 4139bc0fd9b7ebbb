/** Requests about work in the background: agents and commands are tasks to a client. */

import { ok } from "#lib/result.ts"
import { type Controls, no } from "./control.ts"

export const taskControls: Controls = {
  async stop_task({ task_id: id }, { session }) {
    if (typeof id !== "string") return no("task_id must be a string.")
    const agent = await session.submit({ type: "stop_agent", agentId: id })
    const stopped = agent.ok ? agent : await session.submit({ type: "stop_command", commandId: id })
    return stopped.ok ? ok(undefined) : no(`There is no running task ${id}.`)
  },

  /** Whether anything could be moved. */
  async background_tasks(_, { session }) {
    return ok({ backgrounded: (await session.submit({ type: "background" })).ok })
  },

  async get_task_output({ task_id: id }, { session }) {
    if (typeof id !== "string") return no("task_id must be a string.")
    const output = await session.ask({ type: "command_output", commandId: id })
    if (!output) return no(`There is no task ${id}.`)
    return ok({ output: output.text, total_bytes: Buffer.byteLength(output.text), truncated: output.isCut })
  },
}
