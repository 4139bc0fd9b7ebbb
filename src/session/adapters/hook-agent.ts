/** The agent that answers a hook: it reads and searches like any other, and its last message is the answer. */

import { textOf } from "#agent/words/message.ts"
import type { Child, SpawnPorts } from "#kits/subagents/child.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import type { Ids } from "#lib/ids.ts"
import { failed, ok, type Result } from "#lib/result.ts"

export type RunAgent = (prompt: string, signal: AbortSignal) => Promise<Result<string, string>>

const definition: AgentDefinition = {
  agentType: "hook",
  whenToUse: "Answers a hook.",
  model: "small",
  onlyReads: true,
  disallowedTools: ["Task", "Skill"],
  maxTurns: 30,
  systemPrompt:
    "You check something about the work of another agent, for the user. Read and search as much as you need to be sure; you never change anything. Your last message is the answer, in the form that you are told.",
  source: "built-in",
}

/** `spawn` must start agents without hooks; otherwise an agent that answers a hook would trigger another. */
export function openHookAgents({ spawn, ids }: Pick<SpawnPorts, "spawn"> & { readonly ids: Ids }): RunAgent {
  return async (prompt, signal) => {
    const agentId = `hook-${ids.uuid().slice(0, 8)}`
    const ask = { agentId, definition, callId: agentId, model: undefined, log: "new", isolation: undefined } as const
    const spawned = await spawn({ ...ask, signal })
    if (!spawned.ok) return spawned
    const child = spawned.value
    const answer = lastWords(child)
    const onAbort = (): void => child.interrupt()
    signal.addEventListener("abort", onAbort, { once: true })
    child.say([{ type: "text", text: prompt }], "queue")
    await child.settled()
    signal.removeEventListener("abort", onAbort)
    await child.close()
    return answer
  }
}

async function lastWords({ events }: Child): Promise<Result<string, string>> {
  let answer: Result<string, string> = failed("it said nothing")
  for await (const event of events) {
    if (event.type !== "entry") continue
    const { entry } = event
    if (entry.kind === "reply" && entry.block.type === "text") answer = ok(textOf([entry.block]))
    if (entry.kind === "turn_end" && entry.reason !== "completed") answer = failed(entry.message ?? entry.reason)
  }
  return answer
}
