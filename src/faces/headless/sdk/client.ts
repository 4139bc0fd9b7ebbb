/** The client as a session knows it: callbacks and servers that live in the client's process. */

import type { Client } from "#agent/words/client.ts"
import { optional } from "#lib/optional.ts"
import { isObject } from "#lib/json.ts"
import type { Pace } from "./pace.ts"
import type { ClientRequests } from "./requests.ts"

export const clientOver = (
  { ask, send, isOver }: Pick<ClientRequests, "ask" | "send" | "isOver">,
  { quiet }: Pick<Pace, "quiet">,
): Client => ({
  async hook(callback_id, input, toolUseId, signal) {
    // A client that has closed its input still listens, and the end of a session needs no answer.
    if (isOver() && input.hook_event_name === "SessionEnd") {
      send({ subtype: "hook_callback", callback_id, input })
      return {}
    }
    // A client knows a call by the answer it is in, so it hears of the answer first.
    await quiet(signal)
    return ask({ subtype: "hook_callback", callback_id, input, ...optional("tool_use_id", toolUseId) }, signal)
  },
  async mcpMessage(server_name, message, signal) {
    const { mcp_response } = await ask({ subtype: "mcp_message", server_name, message }, signal)
    if (!isObject(mcp_response))
      throw new Error(`The client's answer for the MCP server ${server_name} has no message.`)
    return mcp_response
  },
})
