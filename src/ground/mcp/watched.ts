/** Watches a transport: a flood ends it, and a request whose answer was cut off is told so instead of left waiting. */

import type { Transport } from "@modelcontextprotocol/client"
import type { Clock } from "#lib/clock.ts"
import { isObject, type JsonValue } from "#lib/json.ts"
import { cutOffCode } from "./failures.ts"
import { openFloodGate } from "./flood.ts"
import { wrapped } from "./raw-results.ts"

interface WatchParts {
  readonly clock: Clock
  /** Whether it speaks the revision of 2026 or a later one. */
  readonly isModern: boolean
  readonly onFlood: (why: string) => void
}

/** Call once connected: the library has installed its own handlers by then. */
export function watchOver(transport: Transport, { clock, isModern, onFlood }: WatchParts): void {
  const isWelcome = openFloodGate(clock, onFlood)
  const open = new Set<JsonValue>()
  const unending = new AbortController().signal
  const { onmessage: deliver, send } = transport
  const cutOff = (id: string | number): void => {
    if (!open.delete(id)) return
    const message = "The server's answer was incomplete. What it had done by then is not known."
    deliver?.({ jsonrpc: "2.0", id, error: { code: cutOffCode, message } })
  }
  const watched: Pick<Transport, "onmessage" | "send"> = {
    onmessage(message, extra) {
      if (!isWelcome(message)) return
      if (!isObject(message) || message.method !== undefined || message.id === undefined)
        return deliver?.(message, extra)
      const isAnswer = open.delete(message.id)
      const raw =
        isModern && isAnswer && "result" in message
          ? { ...message, result: wrapped(message.result as JsonValue) }
          : message
      // The library hands news on a moment later than answers: progress that came with the answer would be lost.
      void clock.sleep(0, unending).then(() => deliver?.(raw as typeof message, extra))
    },
    async send(message, options) {
      // Requests with texts as ids are streams, which the library watches itself.
      if (!("method" in message) || !("id" in message) || typeof message.id === "string")
        return send.call(transport, message, options)
      open.add(message.id)
      await send.call(transport, message, { ...options, onRequestStreamEnd: () => cutOff(message.id) })
    },
  }
  Object.assign(transport, watched)
}
