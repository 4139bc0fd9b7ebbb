/** The hooks in an agent's file. One that cannot be read might be a guard, so it leaves the agent out. */

import { type HookEvent, hookEvents } from "#kits/hooks/moments.ts"
import type { AgentDefinition } from "#kits/subagents/definition.ts"
import { failed, ok, type Result } from "#lib/result.ts"
import { hookProblem } from "#session/adapters/written-hooks.ts"

/** What has no effect, as messages. The failure says why the agent cannot be used. */
export function checkHooks({ hooks = {}, agentType, path }: AgentDefinition): Result<readonly string[], string> {
  const where = path ?? `--agents ${agentType}`
  const notes: string[] = []
  for (const [event, groups] of Object.entries(hooks)) {
    const known = hookEvents.find((one) => one === event)
    const problem = hookProblem(event, groups)
    if (problem?.isFatal) return failed(`${problem.text.replace(/ It is left out\.$/, "")} Fix it, or remove it.`)
    if (problem) notes.push(`${where}: ${problem.text}`)
    else if (known && ofSessions.includes(known))
      notes.push(`${where}: hooks.${event} runs only in a session that plays this agent.`)
  }
  return ok(notes)
}

/** Agents that are started by another one never come to these. */
const ofSessions: readonly HookEvent[] = [
  "Setup",
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Notification",
  "PreModelSwitch",
]
