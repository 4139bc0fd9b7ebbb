/** Claude in Microsoft Foundry as the simulator serves it: the Messages API behind Azure's check of the key. */

import { errorAnswer, jsonAnswer } from "#sim/answer.ts"
import { messagesWire } from "#sim/anthropic.ts"
import type { SimWire } from "#sim/wire.ts"

export const foundryPath = "/anthropic/v1/messages"

export const foundryWire: SimWire = {
  ...messagesWire,
  error(error, requestId) {
    if (error.status !== 401) return errorAnswer(error, requestId)
    const message = "Access denied due to invalid subscription key or wrong API endpoint."
    return jsonAnswer(401, { error: { code: "401", message } }, error.headers)
  },
}
