/** Limits what a server asks of us: every request is answered, so endless requests would fill our memory. */

import type { Clock } from "#lib/clock.ts"
import { isObject } from "#lib/json.ts"

const windowMs = 10_000
const mostRequests = 500
/** A request's id is sent back with the answer. */
const longestId = 1_000

/** Whether a message may pass; `onFlood` is called once when there are too many. */
export function openFloodGate(clock: Clock, onFlood: (why: string) => void): (message: unknown) => boolean {
  let since = Number.NEGATIVE_INFINITY
  let count = 0
  let isFlooded = false
  return (message) => {
    if (!isObject(message) || message.method === undefined || message.id === undefined) return true
    if (typeof message.id === "string" && message.id.length > longestId) return false
    const now = clock.now()
    if (now - since > windowMs) {
      since = now
      count = 0
    }
    count++
    if (count <= mostRequests) return !isFlooded
    if (!isFlooded) onFlood(`it asked us more than ${mostRequests} things in ${windowMs / 1000} s`)
    isFlooded = true
    return false
  }
}
