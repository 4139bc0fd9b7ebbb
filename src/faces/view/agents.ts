/** Agents at work in a view: what each does now, under the call that started it. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Happening } from "#agent/words/event.ts"
import { changeCall } from "./calls.ts"
import type { AgentAtWork } from "./item.ts"
import type { View } from "./view.ts"

/** An agent has begun. What became of it is told by the result of its call. */
export function agentBegun(view: View, { callId, agentType, state }: ChildFact): View {
  if (state !== "started") return view
  const agent: AgentAtWork = { type: agentType, doing: undefined, toolUses: 0, tokens: 0 }
  return changeCall(view, callId, (call) => ({ ...call, agent }))
}

/** Something happened in it. */
export function agentActs(view: View, callId: string, event: Happening): View {
  // Most of what happens, such as each word it says, changes nothing here.
  if (event.type !== "tool_start" && event.type !== "entry") return view
  return changeCall(view, callId, (call) => (call.agent ? { ...call, agent: after(call.agent, event) } : call))
}

function after(agent: AgentAtWork, event: Happening): AgentAtWork {
  if (event.type === "tool_start") return { ...agent, doing: event.title }
  if (event.type !== "entry") return agent
  const { entry } = event
  switch (entry.kind) {
    case "reply":
      return entry.block.type === "tool_use" ? { ...agent, toolUses: agent.toolUses + 1 } : agent
    case "result":
      return { ...agent, doing: undefined }
    case "reply_end": {
      const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = entry.usage
      const tokens = input_tokens + output_tokens + cache_creation_input_tokens + cache_read_input_tokens
      return { ...agent, tokens }
    }
    default:
      return agent
  }
}
