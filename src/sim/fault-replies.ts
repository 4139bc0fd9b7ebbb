/** What a fault does to a reply before it is sent: other ids, another end, too much. */

import type { Fault } from "./faults.ts"
import type { PlannedBlock, Reply } from "./reply.ts"

const hugeBytes = 10 * 1024 * 1024

/** `knownIds` are the ids of calls made earlier in the conversation. */
export function spoil(reply: Reply, fault: Fault, knownIds: readonly string[]): Reply {
  switch (fault.name) {
    case "max_tokens_in_tool":
      return cutInCall(reply)
    case "refusal":
      return { ...reply, content: [], stopReason: "refusal" }
    case "pause_turn":
      return {
        ...reply,
        content: [{ type: "text", text: "This takes a while; I will go on when asked." }],
        stopReason: "pause_turn",
      }
    case "window_exceeded":
      return {
        ...reply,
        content: reply.content.filter(({ type }) => type === "text"),
        stopReason: "model_context_window_exceeded",
      }
    case "duplicate_tool_id": {
      const id = knownIds.at(-1) ?? "toolu_sim_duplicate"
      return withIds(reply, () => id)
    }
    case "malformed_tool_id":
      return withIds(reply, (index) => `call #${index + 1}: né/${index}`)
    case "huge_delta":
      return {
        ...reply,
        content: [{ type: "text", text: "x".repeat(fault.bytes ?? hugeBytes), inOneDelta: true }, ...reply.content],
      }
    default:
      return reply
  }
}

/** Everything up to the first call, and half of that call's input. */
function cutInCall(reply: Reply): Reply {
  const at = reply.content.findIndex(({ type }) => type === "tool_use")
  const call = reply.content[at]
  if (call?.type !== "tool_use") return { ...reply, stopReason: "max_tokens" }
  const json = JSON.stringify(call.input)
  const cut: PlannedBlock = { ...call, cutJson: json.slice(0, Math.max(1, Math.floor(json.length / 2))) }
  return { ...reply, content: [...reply.content.slice(0, at), cut], stopReason: "max_tokens" }
}

function withIds(reply: Reply, idFor: (index: number) => string): Reply {
  let calls = 0
  const content = reply.content.map((block) => (block.type === "tool_use" ? { ...block, id: idFor(calls++) } : block))
  return { ...reply, content }
}
