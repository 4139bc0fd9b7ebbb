/** Ops that are answered when their work has finished: servers, memory files, background commands. */

import type { Op, ServerAct } from "#agent/words/op.ts"
import type { AssignTask } from "#agent/words/team.ts"
import type { AgentTree } from "#kits/subagents/agent-state.ts"
import type { Background } from "#ground/workspace/processes/background.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import type { ClientFiles } from "./client-files.ts"
import type { SessionServers } from "./session-servers.ts"
import type { MemoryFiles } from "./memory.ts"
import type { OpFailure } from "#session/port/session.ts"

const types = ["server", "server_message", "seed_read", "remember", "stop_command", "assign_task"] as const
export type OpInTime = Op & { readonly type: (typeof types)[number] }

export const isInTime = (op: Op): op is OpInTime => types.some((type) => type === op.type)

export interface InTimeParts {
  readonly servers:
    Pick<SessionServers, "reconnect" | "enable" | "disable" | "disableHere" | "login" | "receive"> | undefined
  readonly memory: Pick<MemoryFiles, "add">
  readonly seed: ClientFiles["seed"]
  readonly assignTask: AssignTask | undefined
  readonly background: Pick<Background, "find" | "kill">
  readonly agents: Pick<AgentTree, "stopCommand"> | undefined
}

export async function doInTime(op: OpInTime, parts: InTimeParts): Promise<Result<void, OpFailure>> {
  switch (op.type) {
    case "server": {
      const done = parts.servers
        ? await parts.servers[serverActs[op.act]](op.name)
        : failed(`There is no MCP server ${op.name}.`)
      return done.ok ? ok(undefined) : failed({ kind: "server", message: done.failure })
    }
    case "server_message":
      if (parts.servers?.receive(op.server, op.message)) return ok(undefined)
      return failed({ kind: "server", message: `There is no MCP server ${op.server} inside the client.` })
    case "seed_read": {
      const done = await parts.seed(op.path, op.readAt, new AbortController().signal)
      return done.ok ? ok(undefined) : failed({ kind: "file", message: done.failure })
    }
    case "remember": {
      const done = await parts.memory.add(op.path, op.line)
      return done.ok ? ok(undefined) : failed({ kind: "memory", message: done.failure })
    }
    case "assign_task": {
      const done = (await parts.assignTask?.(op.taskId, op.to)) ?? failed("There is no team.")
      return done.ok ? ok(undefined) : failed({ kind: "team", message: done.failure })
    }
    case "stop_command": {
      const { commandId, agentId } = op
      const stopped =
        agentId === undefined
          ? await stopOwn(commandId, parts)
          : (await parts.agents?.stopCommand(agentId, commandId)) === true
      return stopped ? ok(undefined) : failed({ kind: "no_such_command", commandId })
    }
  }
}

const serverActs = {
  reconnect: "reconnect",
  enable: "enable",
  disable: "disable",
  disable_here: "disableHere",
  login: "login",
} as const satisfies { readonly [act in ServerAct]: keyof SessionServers }

async function stopOwn(commandId: string, { background }: Pick<InTimeParts, "background">): Promise<boolean> {
  const isRunning = background.find(commandId)?.status === "running"
  return isRunning && (await background.kill(commandId, new AbortController().signal)).ok
}
