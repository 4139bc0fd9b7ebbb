/** The calls of MCP servers in a log that another process can continue. */

import type { Entry } from "./entry.ts"
import type { ContinuedCall } from "./server-call.ts"

/** Follows the calls that can be continued, by their ids. */
export function openContinuedCalls(): {
  readonly onEntry: (entry: Entry) => void
  readonly get: (callId: string) => ContinuedCall | undefined
} {
  const calls = new Map<string, ContinuedCall>()
  return {
    onEntry(entry) {
      if (entry.kind === "result") calls.delete(entry.callId)
      if (entry.kind !== "server_call") return
      if (entry.state.type === "sent") calls.delete(entry.callId)
      else calls.set(entry.callId, entry.state)
    },
    get: (callId) => calls.get(callId),
  }
}

export function continuedIn(entries: readonly Entry[]): (callId: string) => ContinuedCall | undefined {
  const { onEntry, get } = openContinuedCalls()
  for (const entry of entries) onEntry(entry)
  return get
}
