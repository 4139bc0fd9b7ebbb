/** Agents at work in a view: what each does now, under the call that started it. */

import type { ChildFact } from "#agent/words/child.ts"
import type { Happening } from "#agent/words/event.ts"
import { optional } from "#lib/optional.ts"
import { changeCall } from "./calls.ts"
import type { AgentAtWork, NestedAgent } from "./item.ts"
import type { View } from "./view.ts"
import { allTokens } from "#agent/words/model.ts"

/** What became of it is told by the result of its call. */
export function agentBegun(view: View, child: ChildFact): View {
  if (child.state !== "started") return view
  return changeCall(view, child.callId, (call) => ({ ...call, agent: begun(child) }))
}

const begun = ({ agentType: type, color }: ChildFact): AgentAtWork => ({
  type,
  ...optional("color", color),
  doing: undefined,
  toolUses: 0,
  tokens: 0,
  agents: [],
})

export function agentActs(view: View, callId: string, event: Happening): View {
  // Most of what happens, such as each word it says, changes nothing here.
  if (!isTold(event)) return view
  return changeCall(view, callId, (call) => (call.agent ? { ...call, agent: after(call.agent, event) } : call))
}

const isTold = (event: Happening): boolean =>
  event.type === "child" ? isTold(event.event) : event.type === "tool_start" || event.type === "entry"

function after(agent: AgentAtWork, event: Happening): AgentAtWork {
  if (event.type === "tool_start") return { ...agent, doing: event.title }
  if (event.type === "child") return { ...agent, agents: agent.agents.map((one) => nested(one, event)) }
  if (event.type !== "entry") return agent
  const { entry } = event
  switch (entry.kind) {
    case "reply":
      return entry.block.type === "tool_use" ? { ...agent, toolUses: agent.toolUses + 1 } : agent
    case "result":
      return { ...agent, doing: undefined, agents: agent.agents.filter(({ callId }) => callId !== entry.callId) }
    case "child":
      return entry.state === "started"
        ? { ...agent, agents: [...agent.agents, { callId: entry.callId, agent: begun(entry) }] }
        : agent
    case "reply_end":
      return { ...agent, tokens: allTokens(entry.usage) }
    default:
      return agent
  }
}

const nested = (one: NestedAgent, { callId, event }: Happening & { type: "child" }): NestedAgent =>
  one.callId === callId ? { callId, agent: after(one.agent, event) } : one
