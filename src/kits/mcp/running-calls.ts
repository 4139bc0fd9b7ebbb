/** The calls of one server that run now. */

import type { CallOptions, CallRequest, McpCallResult, McpFailure } from "#ground/mcp/connection.ts"
import type { Result } from "#lib/result.ts"
import { longCall, type LongCallPorts } from "./long-call.ts"

export interface RunningCalls {
  readonly call: (request: CallRequest, options: CallOptions) => Promise<Result<McpCallResult, McpFailure>>
  /** The running call, if there is exactly one: what the server asks then belongs to it. */
  readonly onlyCall: () => string | undefined
}

export function openRunningCalls(ports: LongCallPorts): RunningCalls {
  const running = new Set<{ readonly callId: string }>()
  return {
    async call(request, options) {
      running.add(request)
      return longCall(request, options, ports).finally(() => {
        running.delete(request)
        ports.log.done(request.callId)
      })
    },
    onlyCall: () => (running.size === 1 ? [...running][0]?.callId : undefined),
  }
}
