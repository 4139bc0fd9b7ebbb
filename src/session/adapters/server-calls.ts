/** How far calls of MCP servers came, in the log of the session, so that whoever resumes it continues them. */

import { openContinuedCalls } from "#agent/words/continued-calls.ts"
import { byKind, type OnEntry } from "#agent/words/follower.ts"
import type { CallLog } from "#kits/mcp/long-call.ts"
import { failed, ok } from "#lib/result.ts"
import type { Journal } from "#session/journal/journal.ts"

export interface ServerCalls extends CallLog {
  readonly onEntry: OnEntry
  /** Whether a call runs at a server that goes on without us. */
  readonly hasTasks: () => boolean
}

export function openServerCalls({
  record,
  sync,
  isSealed,
}: Pick<Journal, "record" | "sync" | "isSealed">): ServerCalls {
  const { onEntry, get } = openContinuedCalls()
  const tasks = new Set<string>()
  return {
    onEntry: byKind({ server_call: onEntry, result: onEntry }),
    hasTasks: () => tasks.size > 0,
    continued(callId) {
      const call = get(callId)
      if (call?.type === "task") tasks.add(callId)
      return call
    },
    async keep(callId, server, state) {
      if (state.type === "task") tasks.add(callId)
      record({ kind: "server_call", callId, server, state })
      const synced = await sync()
      return synced.ok ? ok(undefined) : failed(`the session's log cannot be written (${synced.failure.message}).`)
    },
    done: (callId) => void tasks.delete(callId),
    isLeaving: isSealed,
  }
}
